/** Lets a user choose several next steps, and shows the S-Index if they were taken in all datasets that lack them. */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function chooseSteps(): void {
  const panel = document.querySelector<HTMLElement>("[data-choose]");
  const result = panel?.querySelector("output");
  const copy = panel?.querySelector("button");
  if (!panel || !result || !copy) return;
  // A kind of dataset is its source, its total, the mask of its missing signals, and how many there are.
  const kinds = (panel.dataset.choose ?? "").split(",").map((kind) => {
    const [source = "", ...numbers] = kind.split(" ");
    const [total = 0, absent = 0, datasets = 0] = numbers.map(Number);
    return { source, total, absent, datasets };
  });
  const steps = [...document.querySelectorAll<HTMLElement>("[data-step]")];
  const chosen = () => steps.filter((step) => step.querySelector("[aria-pressed=true]"));
  const countBits = (mask: number) => mask.toString(2).replaceAll("0", "").length;
  const sIndexAfter = (masks: ReadonlyMap<string, number>) => {
    const totals = kinds.map(({ source, total, absent, datasets }) => [
      total + 4 * countBits(absent & (masks.get(source) ?? 0)),
      datasets,
    ]);
    totals.sort(([one = 0], [other = 0]) => other - one);
    let rank = 0;
    let index = 0;
    for (const [total = 0, datasets = 0] of totals) {
      rank += datasets;
      index = Math.max(index, Math.min(rank, total));
    }
    return index;
  };
  const show = () => {
    const some = chosen();
    // The mask of the signals that the chosen steps fix in each source.
    const masks = new Map<string, number>();
    for (const step of some) {
      for (const part of (step.dataset.step ?? "").split(",")) {
        const [source = "", mask] = part.split(" ");
        masks.set(source, (masks.get(source) ?? 0) | Number(mask));
      }
    }
    const changed = kinds.reduce(
      (sum, { source, absent, datasets }) => sum + (absent & (masks.get(source) ?? 0) ? datasets : 0),
      0,
    );
    const [now, next] = [sIndexAfter(new Map()), sIndexAfter(masks)];
    const start = some.length === 1 ? t("With this step") : t(`With these ${some.length} steps`);
    const where = changed === 1 ? t("in 1 dataset") : t(`in ${changed} datasets`);
    panel.hidden = some.length === 0;
    result.textContent =
      next === now
        ? t(`${start} ${where}, the S-Index stays ${now}.`)
        : t(`${start} ${where}: S-Index ${next}. Now it is ${now}.`);
  };
  for (const step of steps) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "try";
    button.textContent = t("Add to checklist");
    button.setAttribute("aria-label", t(`Add to checklist: ${step.dataset.name}`));
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      show();
    });
    step.lastElementChild?.append(button);
  }
  copy.hidden = !navigator.clipboard;
  copy.addEventListener("click", async () => {
    const lines = chosen().map((step) => {
      const whole = step.querySelector("details") ?? step;
      const advice = [...whole.querySelectorAll("p:not(.what *), li")].map((each) => each.textContent?.trim());
      return `- [ ] ${step.dataset.name}: ${advice.join(" ")}`;
    });
    await navigator.clipboard.writeText(lines.join("\n"));
    copy.textContent = t("Copied");
    setTimeout(() => {
      copy.textContent = t("Copy as checklist");
    }, 3000);
  });
}
