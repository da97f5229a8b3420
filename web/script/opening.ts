/** Opens the `details` element to which a link leads, for example a signal, and the elements around it. */

export default function openTarget(): void {
  const open = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!(found instanceof HTMLDetailsElement)) return;
    let each: HTMLDetailsElement | null | undefined = found;
    for (; each; each = each.parentElement?.closest("details")) each.open = true;
    found.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
}
