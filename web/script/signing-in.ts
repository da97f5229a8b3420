/**
 * The script of the page that a link in an email opens. It removes the token from the address bar and the history, and
 * sends it when the user presses the button. A token works once.
 */

export default function signIn(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  history.replaceState(null, "", location.pathname);
  const button = document.querySelector<HTMLButtonElement>("#sign-in");
  const status = document.getElementById("status");
  const alert = document.getElementById("alert");
  if (!button || !status || !alert) return;
  const fail = (words: string) => {
    button.hidden = true;
    status.textContent = "";
    alert.textContent = words;
  };
  if (!token) {
    fail("This link is incomplete. Open the link in the email again, or request a new one.");
    return;
  }
  button.hidden = false;
  button.focus();
  button.addEventListener("click", async () => {
    button.disabled = true;
    status.textContent = "Signing in…";
    try {
      const response = await fetch("/auth/magic/consume", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ token }),
      });
      const result = await response.json();
      if (response.status === 201) {
        status.textContent = `You are signed in as ${result.user.email}.`;
        return location.replace(result.returnTo);
      }
      if (response.status < 500 && response.status !== 429) return fail(result.detail);
      status.textContent = result.detail;
    } catch {
      status.textContent = "We cannot reach the service at the moment. Try again.";
    }
    button.disabled = false;
  });
}
