/** Dates as metadata gives them: years, months, days, instants and ranges. */

const DATE = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?=$|[T\s/])/;
/** What DataCite and `toISOString` write: valid as it is. The 29th to 31st take the long way. */
const CANONICAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

/** The date as YYYY, YYYY-MM or YYYY-MM-DD (of a range: its start), or null where there is none to read. */
export function dateOf(text: string | null): string | null {
  const match = text === null ? null : DATE.exec(text.trim());
  if (!match) return null;
  const [, year = "", month, day] = match;
  if (month === undefined) return year;
  if (Number(month) < 1 || Number(month) > 12) return null;
  if (day === undefined) return `${year}-${month}`;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= days ? `${year}-${month}-${day}` : null;
}

/** The date's first day, for comparison with an as-of date. */
export function firstDay(date: string): string {
  return date.length === 4 ? `${date}-01-01` : date.length === 7 ? `${date}-01` : date;
}

/** An instant in UTC as ISO 8601, to compare captures by; a bare date is its midnight. Null where unreadable. */
export function instantOf(text: string | null): string | null {
  if (text === null) return null;
  const canonical = CANONICAL.exec(text);
  if (canonical !== null) return canonical[1] === undefined ? `${text.slice(0, -1)}.000Z` : text;
  const date = dateOf(text);
  if (!INSTANT.test(text)) {
    return date === null || date.length !== 10 ? null : `${date}T00:00:00.000Z`;
  }
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`;
  const time = Date.parse(zoned);
  // Date.parse turns 30 February into 1 March.
  return date === null || Number.isNaN(time) ? null : new Date(time).toISOString();
}
