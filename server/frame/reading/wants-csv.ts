/** The choice between the two forms of a list (RFC 9110, 12.5.1). */

interface Wish {
  readonly quality: number;
  /** 2 where the type itself is named, 1 for all of its kind, 0 for everything. */
  readonly precision: number;
}

/** True where CSV is wished for more than JSON; who wishes for both alike gets the one they name. */
export function wantsCsv(accept: string | undefined): boolean {
  if (accept === undefined || !/text\//i.test(accept)) return false;
  const ranges = accept.split(",").map((range) => range.split(";").map((part) => part.trim().toLowerCase()));
  const csv = wishFor(ranges, ["text/csv", "text/*"]);
  const json = wishFor(ranges, ["application/json", "application/*"]);
  return (
    csv.quality > json.quality || (csv.quality > 0 && csv.quality === json.quality && csv.precision > json.precision)
  );
}

/** The most precise range that fits decides. */
function wishFor(ranges: readonly (readonly string[])[], [type, kind]: readonly [string, string]): Wish {
  for (const [name, precision] of [
    [type, 2],
    [kind, 1],
    ["*/*", 0],
  ] as const) {
    const range = ranges.find(([first]) => first === name);
    if (range !== undefined) return { quality: qualityOf(range), precision };
  }
  return { quality: 0, precision: 0 };
}

function qualityOf(range: readonly string[]): number {
  const text = range.find((part) => part.startsWith("q="))?.slice(2) ?? "1";
  return /^[01](\.\d{0,3})?$/.test(text) ? Number(text) : 1;
}
