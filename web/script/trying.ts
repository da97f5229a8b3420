/** Lets a user try changes of signals in the grid. The score, its bars and the word for its tier show the effect at once. */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function tryChanges(): void {
  const start = () => {
    const grid = document.querySelector<HTMLElement>("[data-try]");
    const panel = document.querySelector<HTMLElement>("[data-tried]");
    const [total, cap] = (grid?.dataset.try ?? "").split(" ").map(Number);
    const result = panel?.querySelector("output");
    const bar = panel?.querySelector("rect.fill");
    const copy = panel?.querySelector("button");
    const mail = panel?.querySelector("a");
    if (!grid || !panel || !result || !bar || !copy || total === undefined || cap === undefined) return;
    const tiers: [string, number, string?][] = JSON.parse(panel.dataset.tried ?? "[]");
    const buttons: HTMLButtonElement[] = [];
    // Lines of a checklist for the chosen signals, with the advice of the page.
    const checklist = () =>
      buttons
        .filter((button) => button.getAttribute("aria-pressed") === "true")
        .map((button) => {
          const details = document.getElementById(button.value);
          const advice = details?.querySelector("[data-advice]")?.textContent ?? "";
          return `- [ ] ${button.dataset.name}: ${advice}`;
        })
        .join("\n");
    const findTier = (points: number, of: number) => tiers.find(([, from]) => 100 * points >= from * of) ?? [];
    const show = () => {
      let gained = 0;
      for (const row of grid.querySelectorAll<HTMLElement>("[data-points]")) {
        const pressed = row.querySelectorAll("[aria-pressed=true]").length;
        const points = Number(row.dataset.points) + 4 * pressed;
        gained += 4 * pressed;
        const fill = row.querySelector("rect.fill");
        fill?.setAttribute("width", String(5 * points));
        // A bucket with unknown signals has no tier.
        if (fill?.classList[1]) fill.setAttribute("class", `fill ${findTier(points, Number(row.dataset.cap))[0]}`);
        const text = row.querySelector(".num");
        if (text)
          text.textContent =
            pressed === 0 ? (text.getAttribute("data-text") ?? "") : t(`${points} of ${row.dataset.cap}`);
      }
      panel.hidden = gained === 0;
      const score = total + gained;
      const [word = "minimal", , shown = word] = findTier(score, cap);
      const start = gained === 4 ? t("With this change") : t(`With these ${gained / 4} changes`);
      result.textContent = t(`${start}: ${score} of ${cap}, ${shown}. Now it is ${total}.`);
      bar.setAttribute("width", String(score));
      bar.setAttribute("class", `fill ${word}`);
      if (mail)
        mail.href = `mailto:?subject=${encodeURIComponent(document.title)}&body=${encodeURIComponent(`${checklist()}\n\n${location.href}`)}`;
    };
    for (const cell of grid.querySelectorAll(".absent")) {
      const link = cell.querySelector("a");
      const name = link?.querySelector("small")?.firstChild?.textContent ?? "";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "try";
      button.value = link?.hash.slice(1) ?? "";
      button.dataset.name = name;
      button.textContent = t("Try +4");
      button.setAttribute("aria-label", t(`Try +4: ${name}`));
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        show();
      });
      buttons.push(button);
      cell.append(button);
    }
    for (const text of grid.querySelectorAll(".num")) text.setAttribute("data-text", text.textContent ?? "");
    copy.hidden = !navigator.clipboard;
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(checklist());
      copy.textContent = t("Copied");
      setTimeout(() => {
        copy.textContent = t("Copy as checklist");
      }, 3000);
    });
  };
  start();
  // A script has added another grid.
  document.addEventListener("content", start);
}
