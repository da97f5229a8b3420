/** Verifies the receipt of a release: its digest, its fields, and its signature. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { digestText, ruleDigests, withheldReceipt } from "../../pipeline/6-release/digest.ts";
import { totalRejected } from "../../pipeline/6-release/index.ts";
import { toolVersion } from "../../pipeline/6-release/tool-version.ts";
import { RULE_FILES } from "../../pipeline/diff/rules.ts";
import type { Database } from "../../pipeline/engine/open.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { jsonDigest } from "../../pipeline/files/json-digest.ts";
import { storeKeys } from "../../pipeline/store/key-set.ts";
import { detectReleaseFormat, laterFormatWords } from "../../pipeline/store/releases.ts";
import { readRevocation } from "../../pipeline/store/revocations.ts";
import { KeyUnusable, revokedWords, signatureFault, type TrustedKey } from "../../pipeline/store/signatures.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { DIFF_FILE, releaseDiff } from "../../schemas/public/api/diff.ts";
import { type Receipt, receipt as receiptSchema } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { listReleaseTables, publishedName } from "../../schemas/public/tables.ts";
import type { Found } from "./finding.ts";

/** A receipt, and the JSON from which it was read. The signature covers the JSON. */
export interface ReadReceipt {
  readonly receipt: Receipt;
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Reads the receipt in a folder. Returns null if there is none. If it is invalid, reports a finding and returns undefined.
 */
export async function readReceiptToVerify(folder: string, found: Found): Promise<ReadReceipt | null | undefined> {
  const text = await readFile(join(folder, "release.json"), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : readReceiptText(text, found);
}

/** Parses a receipt. If it is invalid, reports a finding and returns undefined. */
export function readReceiptText(text: string, found: Found): ReadReceipt | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const later = laterFormatWords(json);
    if (later !== null) {
      found("format", `the release ${later}`);
      return undefined;
    }
    const receipt = receiptSchema.parse(json);
    // Another spelling could contain duplicate keys, which readers interpret differently.
    if (text !== `${JSON.stringify(json, null, 2)}\n`)
      found("receipt", "release.json is not formatted as a build writes it");
    for (const member of unknownFields(json, receipt)) {
      found("receipt", `release.json has the field ${member}, which this version does not know`);
    }
    return { receipt, json: Object.fromEntries(Object.entries(Object(json))) };
  } catch {
    found("receipt", "release.json cannot be read");
    return undefined;
  }
}

/** Compares fields of the receipt that repeat parts of `content`, because the release digest only covers `content`. */
export function verifyReceipt({ content, ...receipt }: Receipt, digest: string, found: Found): void {
  const claims: [string, string | undefined, string | undefined][] = [
    ["releaseDigest", receipt.releaseDigest, digest],
    ["asOf", receipt.asOf, content.inputs.asOf],
    ["scoreReleaseVersion", receipt.scoreReleaseVersion.slice(0, DAY), content.inputs.asOf?.replaceAll("-", ".")],
    ["enrichments", digestText(canonicalJson(receipt.enrichments)), content.inputs.enrichments],
    ["withheld", receipt.withheld.digest, content.inputs.withheld],
    [
      "the tables",
      Object.keys(content.tables).sort().join(),
      listReleaseTables({ ...receipt, content })
        .map(publishedName)
        .sort()
        .join(),
    ],
    ["policy", receipt.policy === undefined ? undefined : jsonDigest(receipt.policy), content.inputs.policy],
    ["tool.name", receipt.tool.name, "share-release"],
    ...receipt.rubrics.map((rubric): [string, string | undefined, string | undefined] => [
      `rubric ${rubric.version}`,
      rubric.digest,
      content.inputs[`contract ${rubric.contract}`],
    ]),
  ];
  for (const [name, stated, held] of claims) {
    if (stated !== held) found("receipt", `release.json states ${stated} for ${name}, but the release has ${held}`);
  }
  for (const fault of sumFaults(receipt)) found("receipt", `release.json contradicts itself: ${fault}`);
}

/** Length of a release version such as 2026.11.01, without the suffix `.N` of further releases of the same day. */
const DAY = "2026.11.01".length;

/** Checks fields of the receipt that follow from other fields, such as sums. */
function sumFaults({ sources, coverage, rejected, withheld, gates, forced }: Omit<Receipt, "content">): string[] {
  const faults: string[] = [];
  for (const [name, stated] of Object.entries(coverage)) {
    const sum = sources.reduce((total, source) => total + (new Map(Object.entries(source.coverage)).get(name) ?? 0), 0);
    if (sum !== stated) faults.push(`the sources have ${sum} ${name} in total, but coverage has ${stated}`);
  }
  const total = totalRejected(sources);
  if (canonicalJson(total) !== canonicalJson(rejected))
    faults.push("the rejected items of the sources do not add up to the field rejected");
  const nobody = withheld.digest === withheldReceipt([]).digest;
  if (nobody !== (withheld.count === 0))
    faults.push(
      `the field withheld counts ${withheld.count} researchers, but its digest is that of ${nobody ? "an empty list" : "a list with researchers"}`,
    );
  const open = gates?.every(({ passed }) => passed) ?? true;
  if (open && (forced ?? null) !== null) faults.push("it has the field forced, although the release passed every gate");
  return faults;
}

/** Verifies the signature, if keys are given. */
export async function verifySignature(
  { json }: ReadReceipt,
  keys: readonly TrustedKey[] | null,
  found: Found,
): Promise<void> {
  if (keys === null) return;
  const fault = await signatureFault(json, keys);
  if (fault !== null) found("signature", fault);
}

/** Checks that the signing key is not revoked in the store. Used if no trusted keys are given. */
export async function verifyNotDisowned(
  { json }: ReadReceipt,
  {
    keys = null,
    predecessors = null,
  }: { readonly keys?: readonly TrustedKey[] | null; readonly predecessors?: Store | null },
  found: Found,
): Promise<void> {
  if (keys !== null || predecessors === null) return;
  try {
    const by = await readRevocation(json, await storeKeys(predecessors));
    if (by !== null) found("signature", `the release is signed ${revokedWords([{ kid: by.kid, revoked: by.since }])}`);
  } catch (error) {
    if (!(error instanceof KeyUnusable)) throw error;
    found("keys", error.message);
  }
}

/** Returns the digest in the name of a release folder. Returns null for another name, such as that of a downloaded copy. */
export function digestOfFolder(folder: string): string | null {
  const name = basename(folder);
  return /^sha256-[0-9a-f]{64}$/.test(name) ? name.replace("-", ":") : null;
}

/** Verifies that the diff compares the release with its predecessor, or with none if the predecessor has another format. */
export async function verifyChain(folder: string, { previousReleaseDigest }: Receipt, found: Found): Promise<void> {
  const text = await readFile(join(folder, DIFF_FILE), "utf8").catch(() => null);
  // If the file is required, the check of the manifest reports it.
  if (text === null) return;
  const from = predecessorIn(text);
  if (from === undefined) found("chain", `${DIFF_FILE} cannot be read`);
  else if (from !== null && from !== previousReleaseDigest)
    found(
      "chain",
      `${DIFF_FILE} compares the release with ${from}, but the receipt states ${previousReleaseDigest} for previousReleaseDigest`,
    );
}

/** Returns the predecessor in the text of a diff. Returns undefined if the text is not a diff. */
function predecessorIn(text: string): string | null | undefined {
  try {
    return releaseDiff.pick({ from: true }).parse(JSON.parse(text)).from?.releaseDigest ?? null;
  } catch {
    return undefined;
  }
}

const COUNTED = ["scored", "insufficient", "failed", "duplicates", "tombstones", "notDataset"] as const;

/**
 * Compares the counts of each source in the receipt with the tables. `db` has the tables of the release under their names.
 */
export async function verifySourceCounts(db: Database, { rubrics, sources }: Receipt, found: Found): Promise<void> {
  const published = new Set(rubrics.map(({ version }) => version));
  const version = PUBLIC_VERSIONS.find((each) => published.has(each)) ?? "";
  await db.runFile(new URL("./source-counts.sql", import.meta.url), { version });
  const rows = await db.rows("select * from source_count order by source");
  const held = new Map(rows.map((row) => [String(row.source), row]));
  for (const { source, coverage, oldestRetrieval, newestRetrieval } of sources) {
    const row = held.get(source);
    held.delete(source);
    for (const name of COUNTED) {
      const count = Number(row?.[name] ?? 0);
      if (count !== coverage[name])
        found("coverage", `the tables have ${count} ${name} of ${source}, but the receipt states ${coverage[name]}`);
    }
    const [oldest, newest] = [row?.oldest ?? null, row?.newest ?? null].map((time) =>
      time === null ? null : String(time),
    );
    const within = (oldest ?? "9") >= (oldestRetrieval ?? "") && (newest ?? "") <= (newestRetrieval ?? "");
    if (!within)
      found(
        "coverage",
        `records of ${source} were retrieved from ${oldest} to ${newest}, but the receipt states ${oldestRetrieval} to ${newestRetrieval}`,
      );
  }
  for (const source of held.keys())
    found("coverage", `the tables have records of ${source}, which the receipt does not name`);
}

/**
 * Returns the paths of fields in `json` that the schema does not know. `read` is the result of parsing `json`, in which
 * these fields are missing.
 */
function unknownFields(json: unknown, read: unknown, path = ""): string[] {
  if (Array.isArray(json)) {
    const items: readonly unknown[] = Array.isArray(read) ? read : [];
    return json.flatMap((item, place) => unknownFields(item, items[place], `${path}[${place}]`));
  }
  if (typeof json !== "object" || json === null) return [];
  const known = new Map(typeof read === "object" && read !== null ? Object.entries(read) : []);
  return Object.entries(json).flatMap(([name, value]) => {
    const below = path === "" ? name : `${path}.${name}`;
    return known.has(name) ? unknownFields(value, known.get(name), below) : [below];
  });
}

/** Inputs in a receipt that are not the digest of an entry in a file with rules. */
const OTHERS = ["asOf", "enrichments", "pages", "policy", "withheld"] as const;

/**
 * Verifies that every entry of the files with rules is an input in the receipt, and that every other input is in
 * {@link OTHERS}. If this program version made the release, its contracts, pledges and word lists must equal those of the
 * program.
 */
export async function verifyInputs(folder: string, receipt: Receipt, found: Found): Promise<void> {
  const { content, policy } = receipt;
  const isOwn = await isByThisVersion(receipt);
  const held = new Map<string, string | undefined>();
  for (const name of OTHERS) if (name !== "policy" || policy !== undefined) held.set(name, content.inputs[name]);
  for (const [kind, path] of [
    ["contract", RULE_FILES.contracts],
    ["pledge", RULE_FILES.pledges],
  ] as const) {
    for (const [name, entry] of await readJsonEntries(join(folder, path))) {
      held.set(`${kind} ${name}`, digestIn(entry));
    }
  }
  const texts = await readJsonEntries(join(folder, RULE_FILES.vocabularies));
  held.set(
    "vocabularies",
    // Releases of earlier versions have no word lists.
    texts.length === 0 && !isOwn ? content.inputs.vocabularies : digestIn(digestTexts(texts)),
  );
  for (const name of new Set([...held.keys(), ...Object.keys(content.inputs)])) {
    const [stated, actual] = [content.inputs[name], held.get(name)];
    if (stated === undefined) found("input", `the release has ${name}, which is not an input of its digest`);
    else if (actual === undefined)
      found("input", `the release digest has the input ${name}, but no file of the release contains it`);
    else if (stated !== actual)
      found("input", `the ${name} of the release is ${actual}, but its digest covers ${stated}`);
  }
  if (!isOwn) return;
  const ours = await ruleDigests();
  for (const [name, stated] of Object.entries(content.inputs)) {
    if (/^(?:contract .*|pledge .*|vocabularies)$/.test(name) && name in ours && ours[name] !== stated)
      found("input", `the ${name} of the release differs from the one that this program knows by that name`);
  }
}

/**
 * Returns whether this program version made the release. A version number alone is not enough: programs that made format 2
 * had the same number for a time.
 */
export async function isByThisVersion(receipt: Pick<Receipt, "tool" | "content">): Promise<boolean> {
  return receipt.tool.version === (await toolVersion()) && detectReleaseFormat(receipt) === 3;
}

/** Returns the sha256 of each text, by its name. */
function digestTexts(texts: readonly [string, unknown][]): Record<string, string> {
  return Object.fromEntries(texts.map(([name, text]) => [name, hash("sha256", String(text))]));
}

/**
 * Reads the entries of a JSON file. Returns none if the file is missing or invalid; its inputs are then reported as
 * missing.
 */
async function readJsonEntries(path: string): Promise<[string, unknown][]> {
  try {
    return Object.entries(Object(JSON.parse(await readFile(path, "utf8"))));
  } catch {
    return [];
  }
}

/**
 * Returns the digest of an entry. For a value without a canonical form, such as a fraction, returns a text that equals no
 * digest.
 */
function digestIn(entry: unknown): string {
  try {
    return digestText(canonicalJson(entry));
  } catch {
    return "without a digest";
  }
}
