/** Counts the selected rows of a list in the button that compares them, and explains why it cannot compare too few or too many. */

// The check boxes named "dataset" hide the property of this name of the form, so the script reads the attribute.
export const COMPARING = `
  const form = document.querySelector("form[data-compare]");
  const [button, status] = [form.querySelector("button"), form.querySelector("[role=status]")];
  const [label, hint] = [button.textContent, status.textContent];
  const [least, most] = form.getAttribute("data-compare").split(" ").map(Number);
  const selected = () => [...form.elements].filter((each) => each.checked).length;
  const count = () => {
    const number = selected();
    button.textContent = number === 0 ? label : label + " (" + number + ")";
    status.textContent = hint;
    status.className = "";
  };
  document.addEventListener("change", (event) => { if (event.target.form === form) count(); });
  form.addEventListener("submit", (event) => {
    const number = selected();
    if (number >= least && most >= number) return;
    event.preventDefault();
    status.textContent = "You selected " + (number === 0 ? "none" : number) + ". " + hint;
    status.className = "error";
  });
  addEventListener("pageshow", count);
`;
