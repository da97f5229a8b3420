/** Keeps the panel of filters open after a choice, so that users can choose several. */

export default function keepFiltersOpen(): void {
  const panel = document.getElementById("facets");
  if (!panel) return;
  panel.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (link && panel.matches(":popover-open")) link.hash = "facets";
  });
  panel.addEventListener("submit", ({ target }) => {
    if (target instanceof HTMLFormElement && panel.matches(":popover-open")) target.action = "/datasets#facets";
  });
  panel.addEventListener("toggle", (event) => {
    if (event.newState === "closed") history.replaceState(null, "", location.pathname + location.search);
  });
  if (location.hash === "#facets" && getComputedStyle(panel).display === "none") panel.showPopover();
}
