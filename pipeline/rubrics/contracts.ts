/** The rubric contracts, read and checked once. */

import { createHash, hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Policy } from "../../schemas/public/release.ts";
import {
  CONTRACTS,
  type ContractId,
  PUBLIC_VERSIONS,
  type PublicVersion,
  type ReleasedRubric,
  type Rubric,
  rubric,
  type Signal,
  STANDING,
} from "../../schemas/public/rubric.ts";
import { canonicalJson } from "../files/canonical-json.ts";

let contracts: Promise<ReadonlyMap<string, Rubric>> | undefined;

/** Contract by its exact identifier. */
export function readContracts(): Promise<ReadonlyMap<string, Rubric>> {
  contracts ??= Promise.all(
    CONTRACTS.map(async (id): Promise<[string, Rubric]> => {
      const file = new URL(`./${id}.json`, import.meta.url);
      const stated = z.looseObject({}).parse(JSON.parse(await readFile(file, "utf8")));
      return [id, rubric.parse({ contract: id, ...STANDING[id], ...stated })];
    }),
  ).then((entries) => new Map(entries));
  return contracts;
}

/** The contracts the public versions stand for, in the order of {@link PUBLIC_VERSIONS}. */
export async function publicContracts(): Promise<{ version: PublicVersion; contract: Rubric }[]> {
  const all = [...(await readContracts()).values()];
  return PUBLIC_VERSIONS.map((version) => {
    const contract = all.find((entry) => entry.publicVersion === version);
    if (contract === undefined) throw new Error(`no contract has the public version ${version}`);
    return { version, contract };
  });
}

/** Contracts by their identifiers, in the order of these. */
export async function contractsNamed(ids: readonly ContractId[]): Promise<Rubric[]> {
  const all = await readContracts();
  return ids.flatMap((id) => all.get(id) ?? []);
}

/** sha256 of a contract's canonical JSON: its identity, wording included. */
export function contractDigest(contract: ReleasedRubric): string {
  return `sha256:${createHash("sha256").update(canonicalJson(contract)).digest("hex")}`;
}

/** Rules that hold by one of several columns: what a source never carries then leaves the decision to the others. */
export function alternatives({ rule }: Pick<Signal, "rule">): boolean {
  return /\bor\b/.test(rule);
}

/** Below five signals that could be judged, a total would say more about the payload than about the dataset. */
export const POLICY: Policy = { leastEvaluable: 5 };

/** Releases made before there was a policy gave everything a total. */
export const NO_POLICY: Policy = { leastEvaluable: 0 };

/** The digest of a policy, as it is among the inputs of the release digest. */
export function policyDigest(policy: Policy): string {
  return `sha256:${hash("sha256", canonicalJson(policy))}`;
}
