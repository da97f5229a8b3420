/** The script of the page that the link in an email opens: it sends the token of the address when the button is pressed. */

/** The token leaves the address bar, and with it the history, before anything else; it is used up by the first answer. */
export const SIGNING_IN = `
"use strict";
(() => {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  history.replaceState(null, "", location.pathname);
  const [button, status, alert] = ["sign-in", "status", "alert"].map((id) => document.getElementById(id));
  const fail = (words) => { button.hidden = true; status.textContent = ""; alert.textContent = words; };
  if (!token) return fail("This address is not whole. Open the link in the message once more, or ask for a new one.");
  button.hidden = false;
  button.focus();
  button.addEventListener("click", async () => {
    button.disabled = true;
    status.textContent = "Signing in…";
    try {
      const answer = await window.fetch("/auth/magic/consume", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ token }),
      });
      const said = await answer.json();
      if (answer.status === 201) {
        status.textContent = "You are signed in as " + said.user.email + ".";
        return location.replace(said.returnTo);
      }
      if (answer.status < 500 && answer.status !== 429) return fail(said.detail);
      status.textContent = said.detail;
    } catch {
      status.textContent = "The service cannot be reached at the moment. Try again.";
    }
    button.disabled = false;
  });
})();
`;
