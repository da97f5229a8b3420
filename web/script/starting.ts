/** Starts the check of a dataset that a search did not find. Does not start it if the user returns to change the identifier. */

export default function startCheck(): void {
  const [visit] = performance.getEntriesByType("navigation");
  if (!(visit instanceof PerformanceNavigationTiming) || visit.type !== "navigate" || location.hash !== "") return;
  document.querySelector<HTMLFormElement>("form[data-start]")?.requestSubmit();
}
