/** Figures as the report writes them. */

/** `12 345`, with thin spaces that do not break. */
export function whole(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Two decimals, or a dash where there is no figure. */
export function decimal(value: number | null): string {
  return value === null ? "–" : value.toFixed(2);
}

/** With its sign, and a true minus; nothing for nothing. */
export function signed(value: number, digits = 0): string {
  const text = digits === 0 ? whole(Math.abs(value)) : Math.abs(value).toFixed(digits);
  if (Number(text.replaceAll("\u202f", "")) === 0) return "±0";
  return `${value < 0 ? "−" : "+"}${text}`;
}

/** The change from one figure to another. */
export function change(before: number | null | undefined, after: number | null): string {
  return before === null || before === undefined || after === null ? "" : signed(after - before, 2);
}

/** Percent with one decimal and a space that does not break; what is there at all is never written as nothing, nor what is missing as everything. */
export function percent(part: number, all: number): string {
  if (all === 0) return "–";
  const share = (100 * part) / all;
  if (part > 0 && share < 0.1) return "<\u00a00.1\u00a0%";
  if (part < all && share > 99.9) return ">\u00a099.9\u00a0%";
  return `${share.toFixed(1)}\u00a0%`;
}
