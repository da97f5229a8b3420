/** Verifying a release: every file re-hashed, every table's root recomputed, every invariant of the scores checked. */

import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ManifestLine, manifestLine, type Receipt } from "../schemas/release.ts";
import { SCORE_TABLES } from "../schemas/tables.ts";
import { scoreEvidence } from "./3-score/score-evidence.ts";
import { manifestLineOf } from "./6-release/data.ts";
import { releaseDigest, tableRoots } from "./6-release/digest.ts";
import { inputDigests } from "./6-release/inputs.ts";
import { manifestDigestOf } from "./6-release/manifest.ts";
import { CheckError } from "./duckdb/errors.ts";
import type { Database } from "./duckdb/open.ts";
import type { Effects } from "./effects.ts";
import { openTables, releaseTablePaths } from "./pages/tables.ts";
import { ReceiptDamaged, ReleaseNotFound, readReceipt } from "./releases.ts";
import { publicContracts } from "./rubrics.ts";
import type { Store } from "./store.ts";

export interface Finding {
  readonly check: string;
  readonly detail: string;
}

export interface Verification {
  readonly releaseDigest: string;
  readonly files: number;
  readonly bytes: number;
  readonly scores: number;
  readonly findings: readonly Finding[];
}

export interface VerifyOptions {
  readonly threads: number;
  readonly memory: string;
  /** Score the published evidence again and compare. */
  readonly rescore: boolean;
}

/** Files the manifest cannot list. */
const UNLISTED = new Set(["manifest.ndjson", "release.json"]);

/** Everything found wrong with a release; nothing found means that it holds. */
export async function verify(
  store: Store,
  digest: string,
  options: VerifyOptions,
  effects: Effects,
): Promise<Verification> {
  const folder = store.release(digest);
  const findings: Finding[] = [];
  const found: Found = (check, detail) => {
    findings.push({ check, detail });
  };
  const receipt = await readReceipt(folder).catch((error: unknown) => {
    if (!(error instanceof ReceiptDamaged)) throw error;
    found("receipt", "release.json cannot be read");
    return undefined;
  });
  if (receipt === null) throw new ReleaseNotFound(digest, store);
  if (receipt === undefined) return { releaseDigest: digest, files: 0, bytes: 0, scores: 0, findings };
  verifyReceipt(receipt, digest, found);
  const { files, bytes } = await verifyFiles(folder, receipt, found, effects);
  const scores = await verifyTables(folder, receipt, options, found);
  return { releaseDigest: digest, files, bytes, scores, findings };
}

type Found = (check: string, detail: string) => void;

/** What the receipt says twice it says alike: only `content` is under the digest, and the rest is read from it. */
function verifyReceipt({ content, ...receipt }: Receipt, digest: string, found: Found): void {
  const claims: [string, string, string | undefined][] = [
    ["releaseDigest", receipt.releaseDigest, digest],
    ["asOf", receipt.asOf, content.inputs.asOf],
    ["withheld", receipt.withheld.digest, content.inputs.withheld],
    ...receipt.rubrics.map((rubric): [string, string, string | undefined] => [
      `rubric ${rubric.version}`,
      rubric.digest,
      content.inputs[`contract ${rubric.contract}`],
    ]),
  ];
  for (const [name, said, held] of claims) {
    if (said !== held) found("receipt", `release.json says ${said} for ${name}, and the release holds ${held}`);
  }
}

/** The manifest is what the receipt says; every file is what the manifest says; there is no other file or folder. */
async function verifyFiles(folder: string, receipt: Receipt, found: Found, effects: Effects) {
  const manifest = join(folder, "manifest.ndjson");
  const manifestDigest = await manifestDigestOf(manifest).catch(() => null);
  if (manifestDigest === null) {
    found("missing file", "manifest.ndjson");
    return { files: 0, bytes: 0 };
  }
  if (manifestDigest !== receipt.manifestDigest) {
    found("manifest", `manifest.ndjson is ${manifestDigest}, the receipt says ${receipt.manifestDigest}`);
  }
  let files = 0;
  let bytes = 0;
  // Both sides are ordered by path, so that they can be compared without holding either.
  const present = walk(folder, "");
  let next = await present.next();
  for await (const line of linesOf(manifest)) {
    if (line === null) {
      found("manifest", "manifest.ndjson has a line that cannot be read");
      continue;
    }
    while (!next.done && next.value < line.path) {
      found("extra file", next.value);
      next = await present.next();
    }
    if (next.done || next.value !== line.path) {
      found("missing file", line.path);
      continue;
    }
    next = await present.next();
    files += 1;
    bytes += line.bytes;
    await verifyFile(folder, line, found);
    if (files % 2000 === 0)
      effects.progress({ stage: "verify", step: "files", done: files, total: null, unit: "files" });
  }
  for (; !next.done; next = await present.next()) found("extra file", next.value);
  return { files, bytes };
}

async function verifyFile(folder: string, line: ManifestLine, found: Found): Promise<void> {
  // A link could lead to other bytes tomorrow.
  if (!(await lstat(join(folder, line.path))).isFile()) return found("changed file", `${line.path} is no regular file`);
  const actual = await manifestLineOf(folder, line.path);
  if (actual.bytes !== line.bytes) found("changed file", `${line.path} has ${actual.bytes} bytes, not ${line.bytes}`);
  else if (actual.sha256 !== line.sha256)
    found("changed file", `${line.path} is sha256 ${actual.sha256}, not ${line.sha256}`);
}

/** The lines of a manifest; null for one that is none. */
async function* linesOf(manifest: string): AsyncGenerator<ManifestLine | null> {
  for await (const line of createInterface({
    input: createReadStream(manifest),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    yield lineOf(line);
  }
}

function lineOf(text: string): ManifestLine | null {
  try {
    return manifestLine.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Paths below a folder in the order of their UTF-8 bytes, one folder's names in memory at a time; `name/` is empty. */
async function* walk(root: string, below: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  if (entries.length === 0) yield `${below}/`;
  // A folder sorts as if its name ended with the separator, as it does in the paths of what it holds.
  const names = entries.map((entry) => ({ entry, name: entry.isDirectory() ? `${entry.name}/` : entry.name }));
  names.sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  for (const { entry } of names) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (!UNLISTED.has(path)) yield path;
  }
}

/** The tables give the digest; their rows keep the invariants; on request, the evidence gives the scores. */
async function verifyTables(folder: string, receipt: Receipt, options: VerifyOptions, found: Found): Promise<number> {
  const db = await openTables(releaseTablePaths(folder), options).catch((error: Error) => {
    found("data", error.message);
    return null;
  });
  if (db === null) return 0;
  try {
    const roots = await tableRoots(db);
    for (const [table, root] of Object.entries(roots)) {
      if (receipt.content.tables[table] !== root)
        found("table", `data/${table}.parquet has the root ${root}, the receipt says ${receipt.content.tables[table]}`);
    }
    const digest = releaseDigest(receipt.content.inputs, roots);
    if (digest !== receipt.releaseDigest) found("release digest", `the tables give ${digest}`);
    await verifyInvariants(db, receipt, found);
    if (options.rescore) await rescore(db, receipt, found);
    const [row] = await db.rows("select cast(count(*) as integer) as scores from score");
    return Number(row?.scores ?? 0);
  } catch (error) {
    found("data", error instanceof Error ? error.message : String(error));
    return 0;
  } finally {
    db.close();
  }
}

async function verifyInvariants(db: Database, receipt: Receipt, found: Found): Promise<void> {
  await db.check(new URL("./3-score/checks.sql", import.meta.url)).catch((error: unknown) => {
    if (!(error instanceof CheckError)) throw error;
    found("invariant", error.message);
  });
  const [count] = await db.rows(
    "select cast(count(*) filter (where status = 'ok') as integer) as scored, cast(count(*) filter (where status = 'failed') as integer) as failed from record",
  );
  const { scored, failed } = receipt.coverage;
  if (count?.scored !== scored || count?.failed !== failed) {
    found(
      "coverage",
      `there are ${count?.scored} scored and ${count?.failed} failed records, the receipt says ${scored} and ${failed}`,
    );
  }
}

/** Only possible with the contracts and pledges the release was made with; others are named. */
async function rescore(db: Database, receipt: Receipt, found: Found): Promise<void> {
  const ours = await inputDigests({ asOf: receipt.asOf, withheld: [], enrichments: {} });
  const theirs = Object.entries(receipt.content.inputs).filter(([name]) => /^(contract|pledge) /.test(name));
  const others = theirs.filter(([name, digest]) => ours[name] !== digest);
  for (const [name] of others) found("rescore", `the ${name} of this version is not the one the release was made with`);
  if (others.length > 0) return;
  const table = SCORE_TABLES.score;
  const columns = Object.keys(table.columns).join(", ");
  await db.run(`create table published_score as select ${columns} from score`);
  await db.run("drop view score");
  const scored = (await publicContracts()).map(({ version, contract }) => ({ rubric: version, contract }));
  await scoreEvidence(
    db,
    scored,
    receipt.rubrics.map(({ version }) => version),
  );
  const rows = await db.rows(
    `(select id, rubric from (select ${columns} from score except select ${columns} from published_score))
     union (select id, rubric from (select ${columns} from published_score except select ${columns} from score))
     order by id, rubric limit 20`,
  );
  for (const row of rows) found("score", `${row.id} under ${row.rubric} is not what its evidence gives`);
}
