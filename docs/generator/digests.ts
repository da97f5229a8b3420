/** Digests of what scores depend on: contracts, pledges and vocabularies. */

import { digestOf } from "../../pipeline/6-release/digest.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import { contractDigest, readContracts } from "../../pipeline/rubrics/contracts.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { VOCABULARY_COLUMNS } from "../../pipeline/vocabularies/index.ts";
import { readTable } from "../../pipeline/vocabularies/read-table.ts";
import { code, codes, table } from "./markdown.ts";

const VOCABULARIES = new URL("../../pipeline/vocabularies/", import.meta.url);

export async function contractDigests(): Promise<string> {
  const rows = [...(await readContracts()).values()].map((contract) => [
    contract.publicVersion ?? "–",
    code(contract.contract),
    contract.status,
    code(contractDigest(contract)),
  ]);
  return table(["public version", "contract", "status", "digest"], rows);
}

export async function pledgeDigests(): Promise<string> {
  const rows = [...(await readPledges())].map(([source, pledge]) => [
    code(source),
    code(digestOf(canonicalJson(pledge))),
  ]);
  return table(["source", "digest of its pledge"], rows);
}

export async function vocabularies(): Promise<string> {
  const rows: string[][] = [];
  for (const [file, columns] of Object.entries(VOCABULARY_COLUMNS)) {
    const { rows: lines, digest } = await readTable(VOCABULARIES, file, columns);
    rows.push([code(file), String(lines.length), codes(columns), code(digest)]);
  }
  return table(["file", "rows", "columns", "sha256 of the file"], rows);
}
