/**
 * Shows on the page of a dataset that the user has saved it. Public pages are the same for everybody, so only the script
 * asks, and only in a browser with a session. If the session was ended elsewhere, the script forgets it.
 */

/** Name of a cookie that a browser has while it has a session. Over HTTPS it begins with `__Host-`. It opens nothing. */
export const SIGNED_IN_COOKIE = "share_signed_in";

export const SAVING = `
  const panel = document.querySelector("[data-saved]");
  const button = panel.previousElementSibling.querySelector("button");
  const label = button.textContent;
  const show = (isSaved) => {
    if (isSaved) button.style.minWidth = button.getBoundingClientRect().width + "px";
    button.textContent = isSaved ? "Saved" : label;
    button.type = isSaved ? "button" : "submit";
    button.popoverTargetElement = isSaved ? panel : null;
    button.classList.toggle("quiet", isSaved);
  };
  addEventListener("pageshow", async () => {
    const [cookie] = /(__Host-)?${SIGNED_IN_COOKIE}/.exec(document.cookie) || [];
    if (!cookie) return;
    const response = await fetch(panel.dataset.saved, { headers: { accept: "application/json" } }).catch(() => null);
    if (!response) return;
    if (response.status === 401) document.cookie = cookie + "=; Max-Age=0; Path=/; Secure";
    if (response.ok) show((await response.json()).data.length > 0);
  });
`;
