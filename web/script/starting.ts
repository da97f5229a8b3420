/**
 * Starts the check of a dataset that a search did not find. If the user comes back to the page to change the
 * identifier, does not start it again.
 */

export default function startCheck(): void {
  const [visit] = performance.getEntriesByType("navigation");
  if (!(visit instanceof PerformanceNavigationTiming) || visit.type !== "navigate" || location.hash !== "") return;
  document.querySelector<HTMLFormElement>("form[data-start]")?.requestSubmit();
}
