/** Finds the record that a release publishes under a given contract. */

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { routeNamed } from "../../api-static/routes/index.ts";
import { type Rules, readReleaseRules } from "../../pipeline/diff/rules.ts";
import { buildEvaluationBasis } from "../../pipeline/evaluate/evaluation.ts";
import { doiIn, identifierKey } from "../../pipeline/parse-identifier.ts";
import { NO_POLICY } from "../../pipeline/rubrics/contracts.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { EvaluationBasis } from "../../schemas/public/api/evaluation.ts";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { DEFAULT_DATA_LICENCE } from "../../schemas/public/descriptors.ts";
import type { ScoreRelease } from "../../schemas/public/release.ts";
import type { ContractId, PublicVersion } from "../../schemas/public/rubric.ts";
import type { OpenRelease } from "../read/open-release.ts";
import { responseByQuery, storedPage } from "../read/page-by-query.ts";
import type { EvaluationTarget } from "./request.ts";

const ROUTE = routeNamed("record");

interface LookUp {
  readonly doi: string | null;
  readonly recordId: string;
  readonly release: OpenRelease;
}

/**
 * Cache of record IDs by release, DOI and record ID. It takes up to 2 MB. Concurrent calls share one query, and a
 * missing record is not cached.
 */
const FOUND_IDS = new LRUCache<string, string, LookUp>({
  max: 10_000,
  fetchMethod: async (_key, _expired, { context: { doi, recordId, release } }) => {
    const byDoi = doi === null ? null : await release.lookups.recordOfDoi(doi);
    if (byDoi !== null) return byDoi;
    const found = await release.lookups.recordFate(recordId);
    if (found.fate === "alias") return found.winner;
    return found.fate === "listed" ? recordId : undefined;
  },
});

/** The rules (contracts and pledges) of open releases, by folder. They are read once for each release. */
const RULES = new LRUCache<string, Rules, OpenRelease>({
  max: 10,
  fetchMethod: async (folder, _expired, { context }) => (await readReleaseRules(folder, context.receipt)) ?? undefined,
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
 * Returns the record that a release publishes under the target's contract. Null if the release lacks the contract or
 * the record.
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

/**
 * Looks for a record by its own ID, for which its page is enough, then by its DOI at any source, and then as an alias.
 */
async function findRecord(
  doi: string | null,
  recordId: string,
  version: PublicVersion,
  release: OpenRelease,
): Promise<Pick<Published, "id" | "page"> | null> {
  const own = storedPage(ROUTE, release, recordId, version);
  if (own !== null) return { id: recordId, page: own };
  const context = { doi, recordId, release };
  const id = await FOUND_IDS.fetch(`${release.digest} ${doi} ${recordId}`, { context });
  if (id === undefined) return null;
  // A copy of a release may have no pages.
  const query = () => responseByQuery({ route: ROUTE, key: id, version, query: {} }, release);
  const page = storedPage(ROUTE, release, id, version) ?? (await query())?.body;
  if (page instanceof Uint8Array) return { id, page };
  throw new Error(
    `release ${release.digest} lists the record ${id}, but has no rows of it; \`share-release release verify\` lists all damage`,
  );
}

/**
 * Returns the page of a record, or of the record that supersedes it, in the first version of the release. Null if the
 * release has neither.
 */
export async function pageOfRecord(recordId: string, release: OpenRelease): Promise<Uint8Array | null> {
  const [first] = release.receipt.rubrics;
  return first === undefined ? null : ((await findRecord(null, recordId, first.version, release))?.page ?? null);
}

/**
 * Returns the basis of a published score, such as its contract, pledge and reader. Null if the release's rules are
 * missing or cannot be read.
 */
export async function publishedBasis(
  { id, identifier }: Pick<RecordDetail, "id" | "identifier">,
  contractId: ContractId,
  release: OpenRelease,
  log: Effects["log"],
): Promise<EvaluationBasis | null> {
  const { receipt } = release;
  const [source] = identifier.split("/");
  const rules = await RULES.fetch(release.folder, { context: release }).catch((error: unknown) => {
    log({ level: "error", event: "rules-unreadable", release: receipt.releaseDigest, message: String(error) });
    return undefined;
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
