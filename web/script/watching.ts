/** Counts the seconds of a running check, and reloads the view when its state has changed. */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function watchJob(): void {
  const job = document.querySelector<HTMLElement>("[data-job]");
  const since = document.querySelector<HTMLElement>("[data-seconds]");
  if (!job || !since) return;
  const look = async () => {
    const response = await fetch(job.dataset.job ?? "", { headers: { accept: "application/json" } }).catch(() => null);
    const found = response?.ok ? await response.json() : null;
    if (found && `${found.status} ${found.attempts}` !== job.dataset.seen) location.reload();
    else setTimeout(look, 2000);
  };
  setTimeout(look, 1000);
  const start = Date.now() - 1000 * Number(since.dataset.seconds);
  setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1000);
    since.textContent = seconds === 1 ? t("1 second") : t(`${seconds} seconds`);
  }, 1000);
}
