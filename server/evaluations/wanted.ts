/** What a request wants evaluated: its body read, its identifier parsed, its contract chosen. */

import { type Identifier, identifierKey, parseIdentifier } from "../../pipeline/identifiers/parse.ts";
import { readContracts } from "../../pipeline/rubrics.ts";
import { evaluationRequest, type RubricVersion } from "../../schemas/api/evaluation.ts";
import { CONTRACTS, type ContractId, PUBLIC_VERSIONS } from "../../schemas/rubric.ts";
import { ProblemError } from "../problem-error.ts";

export interface Wanted {
  /** As it was asked for, white space around it aside. */
  readonly text: string;
  readonly identifier: Identifier;
  /** As it was asked for; the current public version where nothing was said. */
  readonly rubricVersion: RubricVersion;
  readonly contract: ContractId;
  /** Identifier and contract in one spelling: what is the same under any other spelling. */
  readonly subject: string;
}

/**
 * Reads the parsed JSON of a request.
 * @throws ProblemError `invalid-body` naming every field at fault; `unsupported-source` for a well-formed identifier of
 *   no source here
 */
export async function readWanted(body: unknown): Promise<Wanted> {
  const parsed = evaluationRequest.safeParse(body);
  if (!parsed.success) throw malformed(parsed.error.issues.map(faultOf));
  const { identifier: text, rubricVersion = PUBLIC_VERSIONS[0] } = parsed.data;
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
  return malformed([{ path: "identifier", message: reason }]);
}

/** A reason as a sentence of its own. */
export function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? "" : "."}`;
}

/** A public version is an alias of the contract that carries it. */
async function contractOf(version: RubricVersion): Promise<ContractId> {
  const exact = CONTRACTS.find((contract) => contract === version);
  if (exact !== undefined) return exact;
  const all = [...(await readContracts()).values()];
  const contract = all.find(({ publicVersion }) => publicVersion === version)?.contract;
  if (contract === undefined) throw new Error(`no contract has the public version ${version}`);
  return contract;
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

function faultOf({ path, message }: { readonly path: PropertyKey[]; readonly message: string }): Fault {
  return { path: path.map(String).join("."), message };
}

function malformed(faults: readonly Fault[]): ProblemError {
  // The first thing wrong with a field; the others often follow from it.
  const errors = faults.filter(({ path }, i) => faults.findIndex((fault) => fault.path === path) === i);
  const named = errors.map(({ path, message }) => (path === "" ? `the body ${message}` : `${path}: ${message}`));
  return new ProblemError("invalid-body", `The request is malformed: ${named.join("; ")}.`, { errors });
}
