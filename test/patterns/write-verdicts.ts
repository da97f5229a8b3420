/**
 * Checks every regular expression of the product with the tool recheck. A pattern that can take more than linear time is
 * rejected, unless REVIEWED says why it is harmless. Verdicts are stored in verdicts.json, because the tool takes minutes. With
 * --check, writes nothing and checks only patterns without a verdict.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { checkSync } from "recheck";
import { parseAst } from "vitest/node";
import { z } from "zod";

const REVIEWED: Readonly<Record<string, string>> = {
  [String(/("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g)]:
    "over JSON that the program has written itself",
  [String(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\])?[^>]*>/gi)]: "over the first 4,096 bytes",
  [String(
    /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<(\/?)(?:[^\s/>:"'=]*:)?([^\s/>:"'=]+)(?:"[^"]*"|'[^']*'|[^"'>])*?(\/?)>/g,
  )]: "over XML that was checked before: whatever begins there ends",
  [String(/\[[^\]]*\]|\*|\\?"/g)]: "over the fields of our own pledges",
  [String(/\b(?:application|audio|chemical|font|image|message|model|multipart|text|video)\/[a-z0-9][a-z0-9.+-]*/g)]:
    "over 500 characters; too many alternatives for the tool, and none that overlap",
  [String(/(?:[\s.;,:([]|\b(?:electronic address|e-?mail)\b[\s.:]*$)+$/i)]: "over 2,000 characters",
  [String(/\s[-–—]\s+([^-–—]+)$/u)]: "over 2,000 characters",
  [String(/\s\S+\s+\S*(?:[\p{L}\p{N}]{6}|\p{L}{3}[aeiouy])\.\s+([^.]+)$/u)]: "over 2,000 characters",
  [String(/^(?:[A-Z]{0,3}-?\d[\dA-Z-]*\s+)+|(?:\s+[A-Z]{0,3}-?\d[\dA-Z-]*)+$/g)]: "over 2,000 characters",
  [String(/(?<![\p{L}\p{N}])[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\p{L}\p{N}])/gu)]: "over 10,000 characters",
  [String(/\bhttps?:\/\/\S+|\b10\.\d{4,9}\/\S+/gi)]: "over 10,000 characters; both halves are linear",
};

/** Files that build patterns when they run, each with a description of the parts from which a pattern is built. */
const BUILT: Readonly<Record<string, string>> = {
  "releases/verify/files.ts": "of the page files of our own routes; keys are classes of characters of bounded length",
  "schemas/public/csv.ts": "of its one constant: a class of characters again and again, then another",
  "schemas/public/text.ts": "one class of characters, of constants",
  "schemas/public/account/sign-in.ts":
    "of constants; two searches from the start, then classes of characters that do not overlap, over 300 characters",
  "schemas/public/api/lists.ts": "of the ids of signals and of rows; a first look bounds the length to 25 pairs",
  "pipeline/vocabularies/licences.ts": "of the rows of licence-classes.csv",
  "pipeline/vocabularies/index.ts":
    "of the rows of placeholders.csv: literal texts side by side, none of which is tried twice at a place",
};

interface Pattern {
  /** The pattern as it is written in the code, with its flags. */
  readonly written: string;
  readonly source: string;
  readonly flags: string;
  /** The files that contain the pattern. */
  readonly files: readonly string[];
}

const PRODUCT = ["pipeline", "schemas", "server", "api-static", "web", "cli"];

interface Found {
  readonly patterns: readonly Pattern[];
  /** Files that build a pattern when they run. */
  readonly building: readonly string[];
}

async function patternsOfProduct(root: string): Promise<Found> {
  const files = new Map<string, { source: string; flags: string; files: Set<string> }>();
  const building = new Set<string>();
  for (const folder of PRODUCT) {
    for await (const path of glob(`${folder}/**/*.ts`, { cwd: root })) {
      for (const node of listNodes(parseAst(await readFile(`${root}/${path}`, "utf8"), { lang: "ts" }))) {
        if (builds(node)) building.add(path);
        const regex = readRegex(node);
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

function* listNodes(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* listNodes(item);
  else if (isNode(value)) {
    yield value;
    for (const member of Object.values(value)) yield* listNodes(member);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

function readRegex({ type, regex }: Node): { source: string; flags: string } | null {
  if (type !== "Literal" || !isNode(regex)) return null;
  return { source: String(regex.pattern), flags: String(regex.flags) };
}

function builds({ type, callee }: Node): boolean {
  return (type === "NewExpression" || type === "CallExpression") && isNode(callee) && callee.name === "RegExp";
}

const LEDGER = new URL("./verdicts.json", import.meta.url);
const ROOT = new URL("../..", import.meta.url).pathname;

/** Maximum milliseconds for the check of one pattern. */
const PATIENCE = 15_000;

// Runs recheck in this process, in JavaScript, and so without Java or a native program.
process.env.RECHECK_BACKEND = "pure";

const known = new Set(z.array(z.string()).parse(JSON.parse(readFileSync(LEDGER, "utf8"))));
const { patterns, building } = await patternsOfProduct(ROOT);

function objectionTo({ written, source, flags, files }: Pattern): string | null {
  if (known.has(written) || written in REVIEWED) return null;
  const verdict = checkSync(source, flags, { timeout: PATIENCE });
  if (verdict.status === "safe") return null;
  const why = verdict.status === "vulnerable" ? verdict.complexity.summary : verdict.error.kind;
  return `${files.join(", ")}: ${written} may take more than linear time (${why}); see pipeline/vocabularies/ends.ts for patterns that are replaced by functions`;
}

const objections = patterns.map(objectionTo).filter((objection) => objection !== null);
const unused = Object.keys(REVIEWED).filter((written) => !patterns.some((pattern) => pattern.written === written));
objections.push(
  ...unused.map((written) => `REVIEWED lists ${written}, which is not in the product any more; remove its entry`),
);
objections.push(
  ...building
    .filter((file) => !(file in BUILT))
    .map((file) => `${file} builds a pattern when it runs; add the file and the parts of the pattern to BUILT`),
);

const linear = patterns.map(({ written }) => written).filter((written) => !(written in REVIEWED));
const text = `${JSON.stringify(linear, null, 2)}\n`;
if (objections.length === 0 && process.argv.includes("--check") && text !== readFileSync(LEDGER, "utf8")) {
  objections.push("test/patterns/verdicts.json is not up to date; run: npm run patterns");
}
if (objections.length > 0) {
  process.stderr.write(`${objections.join("\n")}\n`);
  process.exitCode = 1;
} else if (!process.argv.includes("--check")) writeFileSync(LEDGER, text);
