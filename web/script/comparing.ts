/**
 * Shows the number of selected rows in the button that compares them. If the user selected too few or too many,
 * explains this instead of comparing them.
 */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function compareSelected(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-compare]");
  const button = form?.querySelector("button");
  const status = form?.querySelector("[role=status]");
  if (!form || !button || !status) return;
  const [label, hint] = [button.textContent, status.textContent];
  // The check boxes named "dataset" hide the property of this name of the form.
  const [least = 0, most = 0] = (form.getAttribute("data-compare") ?? "").split(" ").map(Number);
  const selected = () => [...form.elements].filter((each) => each instanceof HTMLInputElement && each.checked).length;
  const count = () => {
    const number = selected();
    button.textContent = number === 0 ? label : `${label} (${number})`;
    status.textContent = hint;
    status.className = "";
  };
  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.form === form) count();
  });
  form.addEventListener("submit", (event) => {
    const number = selected();
    if (number >= least && most >= number) return;
    event.preventDefault();
    status.textContent = number === 0 ? t(`You selected none. ${hint}`) : t(`You selected ${number}. ${hint}`);
    status.className = "error";
  });
  addEventListener("pageshow", count);
}
