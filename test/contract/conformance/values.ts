/** Reads values of JSON responses, and tests them with kinds. A value has the type unknown until a kind accepts it. */

/** A requirement for a value, in words and as a predicate. */
export interface Kind {
  readonly name: string;
  is(value: unknown): boolean;
}

export function kind(name: string, is: (value: unknown) => boolean): Kind {
  return { name, is };
}

export const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
export const isText = (value: unknown): value is string => typeof value === "string";

export const TEXT = kind("a string", isText);
export const INTEGER = kind("an integer", (value) => Number.isInteger(value));
export const NUMBER = kind("a number", isNumber);
export const BOOLEAN = kind("a boolean", (value) => typeof value === "boolean");
export const ARRAY = kind("an array", Array.isArray);
export const OBJECT = kind(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);
export const NULL = kind("null", (value) => value === null);
export const MASK = kind(
  "an integer of 25 bits",
  (value) => isNumber(value) && value >>> 0 === value && value < 2 ** 25,
);
export const PERCENT = kind("a number from 0 to 100", (value) => isNumber(value) && value >= 0 && value <= 100);
export const POINTS = kind(
  "0, 4, 8, 12, 16 or 20",
  (value) => isNumber(value) && [0, 4, 8, 12, 16, 20].includes(value),
);
export const INSTANT = kind("an ISO 8601 timestamp", (value) =>
  matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, value),
);
export const DIGEST = kind("sha256:<64 hex digits>", (value) => matches(/^sha256:[0-9a-f]{64}$/, value));

export function orNull(inner: Kind): Kind {
  return kind(`${inner.name} or null`, (value) => value === null || inner.is(value));
}

export function exactly(wanted: unknown): Kind {
  return kind(JSON.stringify(wanted) ?? "absent", (value) => JSON.stringify(value) === JSON.stringify(wanted));
}

export function like(pattern: RegExp): Kind {
  return kind(`text like ${pattern.source}`, (value) => matches(pattern, value));
}

function matches(pattern: RegExp, value: unknown): boolean {
  return isText(value) && pattern.test(value);
}

/**
 * Returns the value at a path such as `data.0.score.total`; undefined if there is none. A path segment such as `0-9` is read as
 * a name.
 */
export function at(value: unknown, path: string): unknown {
  if (path === "") return value;
  return path.split(".").reduce<unknown>((inner, name) => getMember(inner, name), value);
}

function getMember(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const list = at(value, path);
  return Array.isArray(list) ? list : [];
}

export function numberAt(value: unknown, path: string): number {
  const number = at(value, path);
  return isNumber(number) ? number : Number.NaN;
}

export function textAt(value: unknown, path: string): string {
  const text = at(value, path);
  return isText(text) ? text : "";
}

/** Parses a body as JSON. Returns undefined if it is not JSON, which no kind accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a value as JSON for the middle of a sentence, cut after 200 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
