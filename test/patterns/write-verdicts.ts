/**
 * Has a tool (recheck) judge every regular expression of the product: one that takes more than linear time over some text
 * is refused, unless reviewed.ts says why it is harmless. Verdicts are kept in verdicts.json, since proving takes a tool
 * minutes; with --check nothing is written, and what has no verdict yet is judged.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { checkSync } from "recheck";
import { z } from "zod";
import { type Pattern, patternsOfProduct } from "./patterns-of.ts";
import { BUILT, REVIEWED } from "./reviewed.ts";

const LEDGER = new URL("./verdicts.json", import.meta.url);
const ROOT = new URL("../..", import.meta.url).pathname;

/** Milliseconds for one proof. */
const PATIENCE = 15_000;

// In this process, in JavaScript: no Java and no program of another make.
process.env.RECHECK_BACKEND = "pure";

const known = new Set(z.array(z.string()).parse(JSON.parse(readFileSync(LEDGER, "utf8"))));
const { patterns, building } = await patternsOfProduct(ROOT);

function objectionTo({ written, source, flags, files }: Pattern): string | null {
  if (known.has(written) || written in REVIEWED) return null;
  const verdict = checkSync(source, flags, { timeout: PATIENCE });
  if (verdict.status === "safe") return null;
  const why = verdict.status === "vulnerable" ? verdict.complexity.summary : verdict.error.kind;
  return `${files.join(", ")}: ${written} is not linear, or not provably (${why}); see reading/ends.ts for what helps`;
}

const objections = patterns.map(objectionTo).filter((objection) => objection !== null);
const unused = Object.keys(REVIEWED).filter((written) => !patterns.some((pattern) => pattern.written === written));
objections.push(...unused.map((written) => `reviewed.ts: ${written} stands nowhere`));
objections.push(...building.filter((file) => !(file in BUILT)).map((file) => `${file} puts a pattern together`));

const linear = patterns.map(({ written }) => written).filter((written) => !(written in REVIEWED));
const text = `${JSON.stringify(linear, null, 2)}\n`;
if (objections.length === 0 && process.argv.includes("--check") && text !== readFileSync(LEDGER, "utf8")) {
  objections.push("test/patterns/verdicts.json is not up to date; run: npm run patterns");
}
if (objections.length > 0) {
  process.stderr.write(`${objections.join("\n")}\n`);
  process.exitCode = 1;
} else if (!process.argv.includes("--check")) writeFileSync(LEDGER, text);
