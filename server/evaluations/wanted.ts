/** The evaluation that a request wants: its body read, its identifier parsed, its contract chosen. */

import { type Identifier, identifierKey, parseIdentifier } from "../../pipeline/identifiers/parse.ts";
import { readContracts } from "../../pipeline/rubrics/contracts.ts";
import type { RubricVersion, UnversionedRequest } from "../../schemas/public/api/evaluation.ts";
import { CONTRACTS, type ContractId, PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { ProblemError } from "../http/problem-error.ts";
import { malformedBody } from "../http/read-body.ts";

export interface Wanted {
  /** As it was asked for, white space around it aside. */
  readonly text: string;
  readonly identifier: Identifier;
  /** As it was asked for; the current public version where nothing was said, and nothing had to be. */
  readonly rubricVersion: RubricVersion;
  readonly contract: ContractId;
  /** Identifier and contract in one spelling: what is the same under any other spelling. */
  readonly subject: string;
}

/**
 * Reads what a request asks for.
 * @throws ProblemError `invalid-body` for what is no identifier; `unsupported-source` for a well-formed identifier of
 *   no source here
 */
export async function readWanted({
  identifier: text,
  rubricVersion = PUBLIC_VERSIONS[0],
}: UnversionedRequest): Promise<Wanted> {
  const identifier = parseIdentifier(text);
  if (identifier.kind === "refused") {
    if (identifier.refusal === "malformed") throw malformedIdentifier(identifier.reason);
    throw new ProblemError("unsupported-source", sentence(identifier.reason));
  }
  const contract = await contractOf(rubricVersion);
  return {
    text: text.trim(),
    identifier,
    rubricVersion,
    contract,
    subject: `${contract} ${identifierKey(identifier)}`,
  };
}

/** 400 for what is no identifier, in words that say what one is. */
export function malformedIdentifier(reason: string): ProblemError {
  return malformedBody([{ path: "identifier", message: reason }]);
}

/** A reason as a sentence of its own. */
export function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? "" : "."}`;
}

/** A public version is an alias of the contract that carries it. */
export async function contractOf(version: RubricVersion): Promise<ContractId> {
  const exact = CONTRACTS.find((contract) => contract === version);
  if (exact !== undefined) return exact;
  const all = [...(await readContracts()).values()];
  const contract = all.find(({ publicVersion }) => publicVersion === version)?.contract;
  if (contract === undefined) throw new Error(`no contract has the public version ${version}`);
  return contract;
}
