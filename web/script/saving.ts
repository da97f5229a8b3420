/**
 * Shows on the page of a dataset that the user has saved it. Public pages are the same for everybody, so only the script
 * asks, and only in a browser with a session. If the session was ended elsewhere, the script forgets it.
 */

export default function showSaved(): void {
  const panel = document.querySelector<HTMLElement>("[data-saved]");
  const button = panel?.previousElementSibling?.querySelector("button");
  if (!panel || !button) return;
  const label = button.textContent;
  const show = (isSaved: boolean) => {
    if (isSaved) button.style.minWidth = `${button.getBoundingClientRect().width}px`;
    button.textContent = isSaved ? "Saved" : label;
    button.type = isSaved ? "button" : "submit";
    button.popoverTargetElement = isSaved ? panel : null;
    button.classList.toggle("quiet", isSaved);
  };
  addEventListener("pageshow", async () => {
    // The name of SIGNED_IN_COOKIE in server/accounts/sessions.ts.
    const [cookie] = /(__Host-)?share_signed_in/.exec(document.cookie) ?? [];
    if (!cookie) return;
    const headers = { accept: "application/json" };
    const response = await fetch(panel.dataset.saved ?? "", { headers }).catch(() => null);
    if (!response) return;
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API
    if (response.status === 401) document.cookie = `${cookie}=; Max-Age=0; Path=/; Secure`;
    if (response.ok) show((await response.json()).data.length > 0);
  });
}
