/** The lines of a file of judgements, whatever its form: CSV with a header, or a JSON object a line. */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseStream } from "fast-csv";
import type { Faults } from "./judgements-unreadable.ts";

/** One line that says something, by the names of its fields; `line` counts from 1, as editors do. */
export interface JudgementLine {
  readonly line: number;
  readonly fields: ReadonlyMap<string, unknown>;
}

/** A header, as it was given: null of JSON, whose lines each have their own. */
export type OnHeader = (names: readonly string[]) => void;

/** Reads by the file's first character: a brace is JSON. `onHeader` hears of the columns of CSV before any line. */
export async function* judgementLines(path: string, faults: Faults, onHeader: OnHeader): AsyncGenerator<JudgementLine> {
  yield* (await beginsWithBrace(path)) ? jsonLines(path, faults) : csvLines(path, faults, onHeader);
}

async function beginsWithBrace(path: string): Promise<boolean> {
  const beginning = createReadStream(path, { encoding: "utf8", end: 4095 });
  for await (const chunk of beginning)
    return String(chunk)
      .replace(/^\ufeff/, "")
      .trimStart()
      .startsWith("{");
  return false;
}

async function* jsonLines(path: string, faults: Faults): AsyncGenerator<JudgementLine> {
  let line = 0;
  for await (const text of createInterface({
    input: createReadStream(path, { encoding: "utf8" }),
    crlfDelay: Infinity,
  })) {
    line += 1;
    const own = text.replace(/^\ufeff/, "").trim();
    if (own === "") continue;
    const value = parsed(own);
    if (value === null || typeof value !== "object" || Array.isArray(value)) faults.add(line, "", "is no JSON object");
    else yield { line, fields: new Map(Object.entries(value)) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function* csvLines(path: string, faults: Faults, onHeader: OnHeader): AsyncGenerator<JudgementLine> {
  let line = 1;
  let names: readonly string[] | null = null;
  try {
    for await (const cells of rowsOf(path)) {
      const at = line;
      // A cell in quotes may go over several lines.
      line += 1 + cells.join("").split("\n").length - 1;
      if (cells.every((cell) => cell.trim() === "")) continue;
      if (names === null) {
        names = headerOf(cells, at, faults);
        onHeader(names);
      } else if (cells.length !== names.length) {
        faults.add(at, "", `has ${cells.length} cells, and the header ${names.length}`);
      } else {
        yield { line: at, fields: new Map(names.map((name, i) => [name, (cells[i] ?? "").trim()])) };
      }
    }
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.startsWith("Parse Error")) throw cause;
    faults.add(line, "", "a cell in quotes does not end as one does");
  }
  if (names === null) faults.add(1, "", "the file is empty");
}

function rowsOf(path: string): AsyncIterable<readonly string[]> {
  return parseStream<string[], string[]>(createReadStream(path, { encoding: "utf8" }), { headers: false });
}

function headerOf(cells: readonly string[], line: number, faults: Faults): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  const twice = names.find((name, i) => name !== "" && names.indexOf(name) !== i);
  if (twice !== undefined) faults.add(line, twice, "is the name of two columns");
  const [only = ""] = names;
  if (names.length === 1 && /[;\t]/.test(only)) faults.add(line, "", "the columns are not separated by commas");
  faults.throwAny();
  return names;
}
