/** Everything besides the tables that a release is made of, by name and digest. */

import { z } from "zod";
import { ROUTES } from "../../api-static/routes/index.ts";
import type { RubricReceipt } from "../../schemas/public/release.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import { canonicalJson } from "../files/canonical-json.ts";
import { contractDigest, POLICY, policyDigest, publicContracts, readContracts } from "../rubrics/contracts.ts";
import { pledgeDigest, readPledges } from "../sources/pledges.ts";
import { loadVocabularies } from "../vocabularies/index.ts";
import { digestOf } from "./digest.ts";

export interface InputOptions {
  readonly asOf: string;
  readonly withheld: readonly string[];
  /** Digests of enrichments by name, such as the ROR dump. */
  readonly enrichments: Readonly<Record<string, string>>;
}

/** Input digests, for the release digest and the receipt. */
export async function inputDigests(options: InputOptions): Promise<Record<string, string>> {
  const contracts = [...(await readContracts())].map(([id, contract]) => [`contract ${id}`, contractDigest(contract)]);
  const pledges = [...(await readPledges())].map(([name, pledge]) => [`pledge ${name}`, pledgeDigest(pledge)]);
  const { digest: vocabularies } = await loadVocabularies();
  return {
    asOf: options.asOf,
    ...Object.fromEntries(contracts),
    ...Object.fromEntries(pledges),
    vocabularies: digestOf(canonicalJson(vocabularies)),
    enrichments: digestOf(canonicalJson(options.enrichments)),
    withheld: withheldDigest(options.withheld),
    policy: policyDigest(POLICY),
    pages: pageFormatDigest(),
  };
}

/** Digest of a list of withheld researcher ids, in any order. */
export function withheldDigest(ids: readonly string[]): string {
  return digestOf([...new Set(ids)].sort().join("\n"));
}

/** What schemas say in words is no part of the format: this registry holds none of it. */
const NO_WORDS = z.registry<object>();

/** The page format is the routes that have pages, with their files and the schemas of their answers. */
function pageFormatDigest(): string {
  const format = ROUTES.filter(({ pages }) => pages.length > 0).map(({ name, path, pages, answer }) => ({
    name,
    path,
    pages: pages.map((page) => ({ ...page })),
    answer: answer === null ? null : z.toJSONSchema(answer, { metadata: NO_WORDS }),
  }));
  return digestOf(canonicalJson(format));
}

/** Receipts of the published rubrics; `insufficient`: records without a total under each. */
export async function rubricReceipts(
  versions: readonly string[],
  insufficient: ReadonlyMap<PublicVersion, number>,
): Promise<RubricReceipt[]> {
  const contracts = await publicContracts();
  return contracts
    .filter(({ version }) => versions.includes(version))
    .map(({ version, contract }) => ({
      version,
      contract: contract.contract,
      digest: contractDigest(contract),
      insufficient: insufficient.get(version) ?? 0,
    }));
}
