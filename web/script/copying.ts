/** Adds a button to each snippet that copies it. */

export default function addCopyButtons(): void {
  if (!navigator.clipboard) return;
  for (const pre of document.querySelectorAll("pre[data-copy]")) {
    const button = document.createElement("button");
    const text = pre.textContent;
    const name = `Copy ${pre.getAttribute("aria-label")}`;
    button.type = "button";
    button.className = "quiet copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", name);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      button.setAttribute("aria-label", "Copied");
      setTimeout(() => {
        button.textContent = "Copy";
        button.setAttribute("aria-label", name);
      }, 3000);
    });
    pre.before(button);
  }
}
