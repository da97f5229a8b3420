/**
 * Shows on public pages whether the user has saved or claimed the item, and saves it without leaving the page. Public
 * pages are the same for everybody, so only the script asks the server, and only in a browser with a session. If the
 * session was ended elsewhere, the script removes the cookie that says there is one.
 */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function showSaved(): void {
  // The name of SIGNED_IN_COOKIE in server/accounts/sessions.ts.
  const cookieName = () => /(__Host-)?share_signed_in/.exec(document.cookie)?.[0];
  const findItem = async ({ saved = "", value }: DOMStringMap) => {
    const cookie = cookieName();
    if (!cookie) return undefined;
    const response = await fetch(saved, { headers: { accept: "application/json" } }).catch(() => null);
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API
    if (response?.status === 401) document.cookie = `${cookie}=; Max-Age=0; Path=/; Secure`;
    if (!response?.ok) return undefined;
    const rows: Record<string, unknown>[] = (await response.json()).data;
    return rows.find((row) => row.state !== "rejected" && (value === undefined || Object.values(row).includes(value)));
  };
  const claim = document.querySelector<HTMLElement>("[data-claim][data-saved]");
  if (claim) {
    addEventListener("pageshow", async () => {
      const { state = "" } = (await findItem(claim.dataset)) ?? {};
      for (const each of document.querySelectorAll<HTMLElement>("[data-claim]"))
        each.hidden = each.dataset.claim !== state;
    });
  }
  const panel = document.querySelector<HTMLElement>("div[data-saved][popover]");
  const saving = panel?.previousElementSibling;
  const removing = panel?.querySelector("form");
  const button = saving?.querySelector("button");
  if (!panel || !(saving instanceof HTMLFormElement) || !removing || !button) return;
  const label = button.textContent;
  const show = async () => {
    const isSaved = (await findItem(panel.dataset)) !== undefined;
    if (isSaved) button.style.minWidth = `${button.getBoundingClientRect().width}px`;
    button.textContent = isSaved ? t("Saved") : label;
    button.type = isSaved ? "button" : "submit";
    button.popoverTargetElement = isSaved ? panel : null;
    return isSaved;
  };
  addEventListener("pageshow", show);
  for (const form of [saving, removing]) {
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
