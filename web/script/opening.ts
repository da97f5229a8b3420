/** Opens the `details` element to which a link leads, for example a signal, and the elements around the target. */

export default function openTarget(): void {
  const open = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let each = found?.closest("details");
    if (!found || !each) return;
    for (; each; each = each.parentElement?.closest("details")) each.open = true;
    found.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
}
