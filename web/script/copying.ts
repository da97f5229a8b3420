/** Adds a copy button to each snippet of code, also to snippets that a script adds later. */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function addCopyButtons(): void {
  if (!navigator.clipboard) return;
  const addTo = (pre: Element) => {
    const button = document.createElement("button");
    const text = pre.textContent ?? "";
    const name = t(`Copy ${pre.getAttribute("aria-label")}`);
    button.type = "button";
    button.className = "quiet copy";
    button.textContent = t("Copy");
    button.setAttribute("aria-label", name);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = t("Copied");
      button.setAttribute("aria-label", t("Copied"));
      setTimeout(() => {
        button.textContent = t("Copy");
        button.setAttribute("aria-label", name);
      }, 3000);
    });
    pre.before(button);
  };
  const addToNew = () => {
    for (const pre of document.querySelectorAll("pre[data-copy]")) {
      if (!pre.previousElementSibling?.classList.contains("copy")) addTo(pre);
    }
  };
  addToNew();
  document.addEventListener("content", addToNew);
}
