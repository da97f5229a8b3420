/** Shows the button that prints a page, and makes the link that shares it open the dialog of the system, if there is one. */

export default function printAndShare(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
  if (!("share" in navigator)) return;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("[data-share]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const canonical = document.querySelector<HTMLLinkElement>("link[rel=canonical]");
      navigator.share({ title: document.title, url: canonical?.href ?? location.href }).catch((error) => {
        if (error.name !== "AbortError") location.assign(link.href);
      });
    });
  }
}
