/**
 * Fills the generated regions of the documents. A region begins with `<!-- generated: name argument -->` and ends with
 * `<!-- end -->`. `node docs/generate.ts` writes the regions, and the files that are generated as a whole. With
 * `--check` it writes nothing and fails if a document or a file is out of date.
 */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isTranslation, markdownFiles } from "./count-words.ts";
import { commands, environmentVariables, exitCodes, sourceVariables } from "./generator/command-line.ts";
import { buckets, changes, evidence, handJudged, signalGuide, signals, states } from "./generator/contracts.ts";
import { endpointsWithPages, otherEndpoints, problems, siteViews } from "./generator/endpoints.ts";
import { metrics } from "./generator/metrics.ts";
import { packExample, packFamilies, packFiles, packRanges, packReleaseKeys } from "./generator/packs.ts";
import { pythonReference } from "./generator/python.ts";
import { limits, parts, pledges, rates, recordedResponses, services } from "./generator/sources.ts";
import { arrow, proofs, receiptFields, rejections, tables } from "./generator/tables.ts";
import { contractDigests, pledgeDigests, relations, vocabularies } from "./generator/vocabularies.ts";
import { workedExample } from "./generator/worked-example.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * A function that makes the Markdown of a region. `argument` is the text after the name in the region's marker, or
 * `""`.
 */
type Section = (argument: string) => Promise<string>;

/** The functions that make sections, by the name in the marker. */
const SECTIONS: Readonly<Record<string, Section>> = {
  arrow,
  buckets,
  changes,
  commands,
  "contract-digests": contractDigests,
  "endpoints-with-pages": endpointsWithPages,
  "environment-variables": environmentVariables,
  evidence,
  "exit-codes": exitCodes,
  "hand-judged": handJudged,
  limits,
  metrics,
  "other-endpoints": otherEndpoints,
  "pack-example": packExample,
  "pack-families": packFamilies,
  "pack-files": packFiles,
  "pack-ranges": packRanges,
  "pack-release-keys": packReleaseKeys,
  parts,
  "pledge-digests": pledgeDigests,
  pledges,
  problems,
  proofs,
  rates,
  "receipt-fields": receiptFields,
  "recorded-responses": recordedResponses,
  rejections,
  relations,
  services,
  "signal-guide": signalGuide,
  signals,
  "site-views": siteViews,
  "source-variables": sourceVariables,
  states,
  tables,
  vocabularies,
  "worked-example": workedExample,
};

/** The functions that make files that are generated as a whole, by the path of the file. */
const FILES: Readonly<Record<string, () => Promise<string>>> = {
  "python/src/share_scores/reference.json": pythonReference,
};

const OPENING = /^<!-- generated: (\S+)(?: (.+))? -->$/;
const CLOSING = "<!-- end -->";

/**
 * Returns the text of a document with every region filled again.
 * @throws Error with document and line if a marker is not closed or names no section
 */
async function fillRegions(document: string, text: string): Promise<string> {
  const lines = text.split("\n");
  const filled: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    filled.push(line);
    const [, name, argument = ""] = OPENING.exec(line) ?? [];
    if (name === undefined) continue;
    const section = Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined;
    if (section === undefined) {
      const names = Object.keys(SECTIONS).sort().join(", ");
      throw new Error(`${document}:${at + 1}: no section is called "${name}"; the sections are ${names}`);
    }
    filled.push("", await section(argument), "");
    at = findClosing(lines, at, document) - 1;
  }
  return filled.join("\n");
}

/** Returns the index of the line that closes the region opened at `opening`. */
function findClosing(lines: readonly string[], opening: number, document: string): number {
  const next = lines.findIndex((line, at) => at > opening && (line === CLOSING || OPENING.test(line)));
  if (next >= 0 && lines[next] === CLOSING) return next;
  throw new Error(`${document}:${opening + 1}: this generated region is not closed; add ${CLOSING} after it`);
}

/** Returns the paths of the documents and files that are out of date. If `write` is true, also writes them. */
async function outdated(write: boolean): Promise<string[]> {
  const documents = (await markdownFiles(ROOT)).filter(
    (path) => !isTranslation(path) && (!path.includes("/") || path.startsWith("docs/")),
  );
  const changed: string[] = [];
  const update = async (document: string, fill: (before: string) => Promise<string>) => {
    const path = join(ROOT, document);
    const before = await readFile(path, "utf8").catch(() => "");
    const after = await fill(before);
    if (after === before) return;
    changed.push(document);
    if (write) await writeFile(path, after);
  };
  for (const document of documents) await update(document, (before) => fillRegions(document, before));
  for (const [file, made] of Object.entries(FILES)) await update(file, made);
  return changed;
}

const [option, ...rest] = process.argv.slice(2);
if ((option !== undefined && option !== "--check") || rest.length > 0) {
  process.stderr.write("usage: node docs/generate.ts [--check]\n");
  process.exitCode = 2;
} else {
  const check = option === "--check";
  const changed = await outdated(!check);
  for (const document of changed) process.stdout.write(`${document} ${check ? "is out of date" : "written"}\n`);
  if (check && changed.length > 0) {
    process.stderr.write("Run `node docs/generate.ts` and commit what it writes.\n");
    process.exitCode = 1;
  }
}
