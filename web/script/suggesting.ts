/** Shows suggestions below the search box while the user types, in groups, as an ARIA combobox. */

const PAUSE_MILLISECONDS = 200;
const LEAST_CHARACTERS = 3;

export const SUGGESTING = `
  const box = document.querySelector("input[data-suggest]");
  if (!box) return;
  const list = document.createElement("div");
  const status = document.createElement("p");
  list.id = "suggestions";
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  box.after(list, status);
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  box.setAttribute("aria-expanded", "false");
  let options = [];
  let at = -1;
  let wait = 0;
  let request = null;
  const close = () => {
    at = -1;
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const mark = (next) => {
    at = (next + options.length + 1) % (options.length + 1);
    if (at === options.length) at = -1;
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    if (0 > at) box.removeAttribute("aria-activedescendant");
    else {
      box.setAttribute("aria-activedescendant", options[at].id);
      options[at].scrollIntoView({ block: "nearest" });
    }
  };
  const show = (found) => {
    options = found.map(({ name, note, path }, i) => {
      const option = document.createElement("div");
      const small = document.createElement("small");
      option.id = "suggestion-" + i;
      option.dir = "auto";
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.path = path;
      small.textContent = note;
      option.append(name, small);
      return option;
    });
    const groups = new Map();
    found.forEach(({ group }, i) => groups.set(group, [...(groups.get(group) || []), options[i]]));
    list.replaceChildren(...[...groups].map(([group, some]) => {
      const part = document.createElement("div");
      const heading = document.createElement("span");
      part.setAttribute("role", "group");
      part.setAttribute("aria-label", group);
      heading.setAttribute("aria-hidden", "true");
      heading.textContent = group;
      part.append(heading, ...some);
      return part;
    }));
    at = -1;
    box.removeAttribute("aria-activedescendant");
    list.hidden = found.length === 0;
    box.setAttribute("aria-expanded", String(found.length > 0));
    status.textContent = found.length === 0 ? "" : found.length + (found.length === 1 ? " suggestion" : " suggestions");
  };
  const suggest = async () => {
    const text = box.value.trim();
    if (request) request.abort();
    if (${LEAST_CHARACTERS} > text.length) return close();
    request = new AbortController();
    const { signal } = request;
    try {
      const response = await fetch(box.dataset.suggest + "?" + new URLSearchParams({ q: text }), { signal, headers: { accept: "application/json" } });
      const found = response.ok ? await response.json() : [];
      if (!signal.aborted && document.activeElement === box) show(found);
    } catch {
      if (!signal.aborted) close();
    }
  };
  box.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(suggest, ${PAUSE_MILLISECONDS}); });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(event.key === "ArrowDown" ? at + 1 : 0 > at ? options.length - 1 : at - 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      location.assign(options[at].dataset.path);
    }
  });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (option) location.assign(option.dataset.path);
  });
`;
