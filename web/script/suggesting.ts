/** Shows suggestions in groups below the search box while the user types. Screen readers know it as an ARIA combobox. */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function suggest(): void {
  const pauseMilliseconds = 200;
  const minCharacters = 3;
  interface Suggestion {
    readonly group: string;
    readonly name: string;
    readonly note: string;
    readonly path: string;
  }
  const box = document.querySelector<HTMLInputElement>("input[data-suggest]");
  if (!box) return;
  const list = document.createElement("div");
  const status = document.createElement("p");
  list.id = "suggestions";
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", t("Suggestions"));
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  box.after(list, status);
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  box.setAttribute("aria-expanded", "false");
  let options: HTMLElement[] = [];
  let at = -1;
  let wait = 0;
  let request: AbortController | null = null;
  const close = () => {
    at = -1;
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const mark = (next: number) => {
    at = (next + options.length + 1) % (options.length + 1);
    if (at === options.length) at = -1;
    options.forEach((option, i) => {
      option.setAttribute("aria-selected", String(i === at));
    });
    const marked = options[at];
    if (!marked) return box.removeAttribute("aria-activedescendant");
    box.setAttribute("aria-activedescendant", marked.id);
    marked.scrollIntoView({ block: "nearest" });
  };
  const visit = (option: HTMLElement | null | undefined) => {
    if (option?.dataset.path) location.assign(option.dataset.path);
  };
  const show = (found: readonly Suggestion[]) => {
    const groups = new Map<string, HTMLElement>();
    options = found.map(({ group, name, note, path }, i) => {
      const option = document.createElement("div");
      const small = document.createElement("small");
      option.id = `suggestion-${i}`;
      option.dir = "auto";
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.path = path;
      small.textContent = note;
      option.append(name, small);
      const part = groups.get(group) ?? makeGroup(group);
      groups.set(group, part);
      part.append(option);
      return option;
    });
    list.replaceChildren(...groups.values());
    at = -1;
    box.removeAttribute("aria-activedescendant");
    list.hidden = found.length === 0;
    box.setAttribute("aria-expanded", String(found.length > 0));
    status.textContent =
      found.length === 0 ? "" : found.length === 1 ? t("1 suggestion") : t(`${found.length} suggestions`);
  };
  const makeGroup = (name: string) => {
    const part = document.createElement("div");
    const heading = document.createElement("span");
    part.setAttribute("role", "group");
    part.setAttribute("aria-label", name);
    heading.setAttribute("aria-hidden", "true");
    heading.textContent = name;
    part.append(heading);
    return part;
  };
  const ask = async () => {
    const text = box.value.trim();
    request?.abort();
    if (minCharacters > text.length) return close();
    request = new AbortController();
    const { signal } = request;
    try {
      const address = `${box.dataset.suggest}?${new URLSearchParams({ q: text })}`;
      const response = await fetch(address, { signal, headers: { accept: "application/json" } });
      const found = response.ok ? await response.json() : [];
      if (!signal.aborted && document.activeElement === box) show(found);
    } catch {
      if (!signal.aborted) close();
    }
  };
  box.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(ask, pauseMilliseconds);
  });
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
      visit(options[at]);
    }
  });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    visit(event.target instanceof Element ? event.target.closest<HTMLElement>("[role=option]") : null);
  });
}
