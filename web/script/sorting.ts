/**
 * Sorts a table when the user presses a column header: figures in descending order, words in ascending order, and
 * unknown values last. Adds a field that filters the rows of a long table by their names.
 */

export default function sortTables(): void {
  const addFilter = (table: HTMLTableElement, rows: readonly HTMLTableRowElement[]) => {
    const label = document.createElement("label");
    const field = document.createElement("input");
    field.type = "search";
    label.className = "filter";
    label.append("Filter by name", field);
    table.parentElement?.before(label);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().trim();
      const rest = table.parentElement?.nextElementSibling;
      if (rest instanceof HTMLDetailsElement) rest.open = true;
      for (const row of rows) row.hidden = !row.cells[0]?.textContent.toLowerCase().includes(words);
    });
  };
  for (const table of document.querySelectorAll<HTMLTableElement>("table[data-sort]")) {
    const [body] = table.tBodies;
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    const rows = [...(body?.rows ?? [])];
    if (!body || 2 > rows.length) continue;
    if (rows.length >= 20) addFilter(table, rows);
    const words = new Intl.Collator(undefined, { numeric: true });
    heads.forEach((head, column) => {
      if (head.classList.contains("bar")) return;
      const isNumber = head.classList.contains("num");
      const value = (row: HTMLTableRowElement) => {
        const text = row.cells[column]?.textContent.trim() ?? "";
        if (!isNumber) return text;
        const figure = Number.parseFloat(text.replace("\u2212", "-").replace(/^[^0-9-]+|,/g, ""));
        return Number.isNaN(figure) ? null : figure;
      };
      const values = new Map(rows.map((row) => [row, value(row)]));
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const first = isNumber ? "descending" : "ascending";
        const other = isNumber ? "ascending" : "descending";
        const order = head.getAttribute("aria-sort") === first ? other : first;
        for (const each of heads) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", order);
        const turn = order === "ascending" ? 1 : -1;
        const sorted = rows.toSorted((a, b) => {
          const [one = null, two = null] = [values.get(a), values.get(b)];
          if (one === null || two === null) return Number(one === null) - Number(two === null);
          return turn * (typeof one === "number" ? one - Number(two) : words.compare(one, String(two)));
        });
        body.append(...sorted);
      });
    });
  }
}
