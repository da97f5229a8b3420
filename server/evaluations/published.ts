/** Finds the record that a release publishes under a given contract. */

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { routeNamed } from "../../api-static/routes/index.ts";
import { getPageFile } from "../../api-static/routes/route.ts";
import { type Rules, readReleaseRules } from "../../pipeline/diff/rules.ts";
import { buildEvaluationBasis } from "../../pipeline/evaluate/evaluation.ts";
import { type PageAddress, pageAddress } from "../../pipeline/packs/format.ts";
import { doiIn, identifierKey } from "../../pipeline/parse-identifier.ts";
import { NO_POLICY } from "../../pipeline/rubrics/contracts.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { EvaluationBasis } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import type { Receipt, ScoreRelease } from "../../schemas/public/release.ts";
import type { ContractId, PublicVersion } from "../../schemas/public/rubric.ts";
import type { OpenRelease } from "../read/open-release.ts";
import { responseByQuery } from "../read/page-by-query.ts";
import type { EvaluationTarget } from "./request.ts";

const ROUTE = routeNamed("record");

interface LookUp {
  readonly doi: string | null;
  readonly recordId: string;
  readonly release: OpenRelease;
}

/** IDs of records by release, DOI and record ID. Concurrent calls share one query. A missing record is not cached. Up to 2 MB. */
const FOUND_IDS = new LRUCache<string, string, LookUp>({
  max: 10_000,
  fetchMethod: async (_key, _expired, { context: { doi, recordId, release } }) => {
    const byDoi = doi === null ? null : await release.lookups.recordOfDoi(doi);
    return byDoi ?? (await listedId(recordId, release)) ?? undefined;
  },
});

export interface Published {
  readonly id: string;
  readonly version: PublicVersion;
  readonly page: Uint8Array;
  readonly release: ScoreRelease;
  readonly asOf: string;
  readonly publishedAt: string;
  readonly licence: string;
}

/**
 * Returns the record that a release publishes under the target's contract; null if the release lacks the contract or record.
 */
export async function publishedRecord(target: EvaluationTarget, release: OpenRelease): Promise<Published | null> {
  const { rubrics, scoreReleaseVersion, releaseDigest, asOf, publishedAt, license } = release.receipt;
  const version = rubrics.find(({ contract }) => contract === target.contract)?.version;
  if (version === undefined) return null;
  const { text, identifier } = target;
  const key = identifier.kind === "doi" ? `datacite/${identifier.doi}` : identifierKey(identifier);
  const recordId = `r${hash("sha256", key).slice(0, 24)}`;
  const found = await findRecord(doiIn(text), recordId, version, release);
  if (found === null) return null;
  const licence = license ?? DEFAULT_DATA_LICENCE;
  return { ...found, version, release: { scoreReleaseVersion, releaseDigest }, asOf, publishedAt, licence };
}

/** Looks for the record by its own ID, which only needs its page, then by its DOI at any source, then by alias. */
async function findRecord(
  doi: string | null,
  recordId: string,
  version: PublicVersion,
  release: OpenRelease,
): Promise<Pick<Published, "id" | "page"> | null> {
  const page = release.page(makePageAddress(recordId, version));
  if (page !== null) return { id: recordId, page: page.body };
  const context = { doi, recordId, release };
  const id = await FOUND_IDS.fetch(`${release.digest} ${doi} ${recordId}`, { context });
  return id === undefined ? null : { id, page: await readRecordPage(id, version, release) };
}

/** Returns the page of a record, or of the record that supersedes it, in the first version of the release; null if none. */
export async function pageOfRecord(recordId: string, release: OpenRelease): Promise<Uint8Array | null> {
  const [first] = release.receipt.rubrics;
  return first === undefined ? null : ((await findRecord(null, recordId, first.version, release))?.page ?? null);
}

async function listedId(id: string, { lookups }: OpenRelease): Promise<string | null> {
  const found = await lookups.recordFate(id);
  if (found.fate === "alias") return found.winner;
  return found.fate === "listed" ? id : null;
}

/** Reads the page, or makes it if the copy of the release has no pages. */
async function readRecordPage(id: string, version: PublicVersion, release: OpenRelease): Promise<Uint8Array> {
  const page = release.page(makePageAddress(id, version));
  if (page !== null) return page.body;
  const response = await responseByQuery({ route: ROUTE, key: id, version, query: {} }, release);
  if (response?.body instanceof Uint8Array) return response.body;
  throw new Error(`release ${release.digest} lists ${id} but has no rows of it`);
}

function makePageAddress(id: string, version: PublicVersion): PageAddress {
  return pageAddress(ROUTE, getPageFile(ROUTE, version), id);
}

/** The rules of each open release, which are read once. */
const RULES = new WeakMap<Receipt, Promise<Rules | null>>();

/** Returns the basis of a published score; null if the release's rules are missing or cannot be read. */
export async function publishedBasis(
  { id, identifier }: Pick<RecordDetail, "id" | "identifier">,
  contractId: ContractId,
  release: OpenRelease,
  log: Effects["log"],
): Promise<EvaluationBasis | null> {
  const { receipt } = release;
  const [source] = identifier.split("/");
  const rules = await rulesIn(release).catch((error: unknown) => {
    log({ level: "error", event: "rules-unreadable", release: receipt.releaseDigest, message: String(error) });
    return null;
  });
  const contract = rules?.contracts.get(contractId);
  const pledge = rules?.pledges.get(source ?? "");
  if (contract === undefined || pledge === undefined) return null;
  const [row] = await release.engine.rows(
    "select cast(evidence_errors as varchar) from evidence where evidence.id = $id",
    { id },
  );
  return buildEvaluationBasis({
    asOf: receipt.asOf,
    contract,
    pledge,
    policy: receipt.policy ?? NO_POLICY,
    reader: receipt.sources.find((each) => each.source === source)?.reader ?? null,
    // An unreadable record has no evidence, and therefore no errors in it.
    evidenceErrors: BigInt(String(row?.[0] ?? 0)),
  });
}

function rulesIn({ folder, receipt }: OpenRelease): Promise<Rules | null> {
  const known = RULES.get(receipt);
  if (known !== undefined) return known;
  const read = readReleaseRules(folder, receipt);
  RULES.set(receipt, read);
  read.catch(() => RULES.delete(receipt));
  return read;
}
