/** The parts of a statement about the interface: its source, its text, the request, and the expected response. */

import type { Reply } from "../../server/ask.ts";
import type { Ask, Question } from "../client.ts";
import type { ReleaseName, Served } from "../world.ts";

/** The fault of the response; null if it is as expected. */
export type Fault = string | null;

export interface Expectation {
  readonly text: string;
  /**
   * Returns the fault of a reply. `ask` sends more requests as the user of the statement, and `served` can do things that
   * clients cannot.
   */
  readonly fault: (reply: Reply, ask: Ask, served: Served) => Fault | Promise<Fault>;
}

/** An expectation that depends only on the response. */
export interface PlainExpectation extends Expectation {
  readonly fault: (reply: Reply) => Fault;
}

/** The decision of a moderator. */
export type Verdict = "approved" | "rejected";

/** An earlier POST, which must respond with 201, or a moderator's verdict on the result of the last POST. */
export type Given = readonly [path: string, body: unknown] | Verdict;

/** A user who is signed in by email or with an ORCID iD. */
export type Visitor = "mail" | { readonly orcid: string };

export interface Statement {
  /** The section of interface.md or decisions.md that the statement is from. */
  readonly clause: string;
  readonly says: string;
  /** The name of the release that the requested server serves. */
  readonly of: ReleaseName;
  /** Path and query, exactly as sent; `{digest}` stands for the release's digest in the form of URLs. */
  readonly path: string;
  readonly question: Question;
  /** The signed-in user who sends the request from the site; without it, the request is anonymous. */
  readonly as?: Visitor;
  /** Steps before the request. `{id}` in the path of the request stands for the id of the object that they created last. */
  readonly given?: readonly Given[];
  readonly expects: readonly Expectation[];
}

export type Row = Omit<Statement, "clause">;

/** Makes a statement about a GET from the full release. `clause` adds its section later. */
export function row(says: string, path: string, ...expects: readonly Expectation[]): Row {
  return { says, path, expects, of: "full", question: {} };
}

/** Makes a statement about a request with a method, headers or a body. `clause` adds its section later. */
export function asked(says: string, path: string, question: Question, ...expects: readonly Expectation[]): Row {
  return { says, path, expects, of: "full", question };
}

/** Makes a statement about a GET from a release that lacks a part. `clause` adds its section later. */
export function lacking(of: ReleaseName, says: string, path: string, ...expects: readonly Expectation[]): Row {
  return { says, path, expects, of, question: {} };
}

/** Adds the name of a section of the specification to its statements. */
export function clause(name: string, rows: readonly Row[]): Statement[] {
  return rows.map((entry) => ({ clause: name, ...entry }));
}
