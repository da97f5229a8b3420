/** A button that copies a text that is there to be copied. */

export const COPYING = `
  if (navigator.clipboard) for (const pre of document.querySelectorAll("pre[data-copy]")) {
    const button = document.createElement("button");
    const text = pre.textContent;
    button.type = "button";
    button.className = "quiet copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy " + pre.getAttribute("aria-label"));
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      button.setAttribute("aria-label", "Copied");
      setTimeout(() => {
        button.textContent = "Copy";
        button.setAttribute("aria-label", "Copy " + pre.getAttribute("aria-label"));
      }, 3000);
    });
    pre.before(button);
  }
`;
