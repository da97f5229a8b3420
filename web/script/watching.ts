/** A check that is under way is looked after until it has ended. */

export const WATCHING = `
  const job = document.querySelector("[data-job]");
  const ended = ["succeeded", "failed"];
  const look = async () => {
    const answer = await fetch(job.dataset.job, { headers: { accept: "application/json" } }).catch(() => null);
    if (answer && answer.ok && ended.includes((await answer.json()).status)) location.reload();
    else setTimeout(look, 2000);
  };
  if (job) setTimeout(look, 1000);
`;
