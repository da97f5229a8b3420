/**
 * Shows on public pages what the user has saved or claimed, and saves without leaving the page. Public pages are the same for
 * everybody, so only the script asks, and only in a browser with a session. If the session was ended elsewhere, the script
 * forgets it.
 */

export default function showSaved(): void {
  // The name of SIGNED_IN_COOKIE in server/accounts/sessions.ts.
  const cookieName = () => /(__Host-)?share_signed_in/.exec(document.cookie)?.[0];
  for (const panel of document.querySelectorAll<HTMLElement>("[data-saved]")) {
    const saving = panel.previousElementSibling;
    const button = saving?.querySelector("button");
    if (!(saving instanceof HTMLFormElement) || !button) continue;
    const label = button.textContent;
    const { saved = "", value } = panel.dataset;
    const isOwn = (row: Record<string, unknown>) =>
      row.state !== "rejected" && (value === undefined || Object.values(row).includes(value));
    const show = async () => {
      const cookie = cookieName();
      if (!cookie) return false;
      const response = await fetch(saved, { headers: { accept: "application/json" } }).catch(() => null);
      if (!response) return false;
      // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API
      if (response.status === 401) document.cookie = `${cookie}=; Max-Age=0; Path=/; Secure`;
      if (!response.ok) return false;
      const isSaved = (await response.json()).data.some(isOwn);
      if (isSaved) button.style.minWidth = `${button.getBoundingClientRect().width}px`;
      button.textContent = isSaved ? (panel.dataset.label ?? "") : label;
      button.type = isSaved ? "button" : "submit";
      button.popoverTargetElement = isSaved ? panel : null;
      button.classList.toggle("quiet", isSaved || panel.querySelector("form") !== null);
      return isSaved;
    };
    addEventListener("pageshow", show);
    const removing = panel.querySelector("form");
    for (const form of removing ? [saving, removing] : []) {
      form.addEventListener("submit", async (event) => {
        if (!cookieName()) return;
        event.preventDefault();
        const fields = [...new FormData(form)].map(([name, entry]) => [name, String(entry)]);
        const body = new URLSearchParams(fields);
        await fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => null);
        panel.hidePopover();
        button.focus();
        if ((await show()) !== (form === saving)) form.submit();
      });
    }
  }
}
