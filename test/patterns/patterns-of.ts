/** Every regular expression of the product's source, as the parser of the language finds them. */

import { glob, readFile } from "node:fs/promises";
import { parseAst } from "vitest/node";

export interface Pattern {
  /** As it is written, with its flags. */
  readonly written: string;
  readonly source: string;
  readonly flags: string;
  /** The files it stands in. */
  readonly files: readonly string[];
}

const PRODUCT = ["pipeline", "schemas", "server", "api-static", "web", "cli"];

interface Found {
  readonly patterns: readonly Pattern[];
  /** Files that put a pattern together while they run. */
  readonly building: readonly string[];
}

export async function patternsOfProduct(root: string): Promise<Found> {
  const files = new Map<string, { source: string; flags: string; files: Set<string> }>();
  const building = new Set<string>();
  for (const folder of PRODUCT) {
    for await (const path of glob(`${folder}/**/*.ts`, { cwd: root })) {
      for (const node of nodesOf(parseAst(await readFile(`${root}/${path}`, "utf8"), { lang: "ts" }))) {
        if (builds(node)) building.add(path);
        const regex = regexOf(node);
        if (regex === null) continue;
        const written = `/${regex.source}/${regex.flags}`;
        const known = files.get(written) ?? { ...regex, files: new Set<string>() };
        known.files.add(path);
        files.set(written, known);
      }
    }
  }
  const patterns = [...files].map(([written, { source, flags, files: all }]) => ({
    written,
    source,
    flags,
    files: [...all].toSorted(),
  }));
  return {
    patterns: patterns.toSorted((a, b) => (a.written < b.written ? -1 : 1)),
    building: [...building].toSorted(),
  };
}

type Node = Readonly<Record<string, unknown>>;

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item);
  else if (isNode(value)) {
    yield value;
    for (const member of Object.values(value)) yield* nodesOf(member);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

function regexOf({ type, regex }: Node): { source: string; flags: string } | null {
  if (type !== "Literal" || !isNode(regex)) return null;
  return { source: String(regex.pattern), flags: String(regex.flags) };
}

function builds({ type, callee }: Node): boolean {
  return (type === "NewExpression" || type === "CallExpression") && isNode(callee) && callee.name === "RegExp";
}
