/** The rubric contracts, read and checked once. */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import {
  CONTRACTS,
  type ContractId,
  PUBLIC_VERSIONS,
  type PublicVersion,
  type ReleasedRubric,
  type Rubric,
  rubric,
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
