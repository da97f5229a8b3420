/** A statement of the interface: where it stands, what it says, what is asked, and what the answer must be. */

import type { Reply } from "../../server/ask.ts";
import type { Ask, Question } from "../client.ts";
import type { ReleaseName, Served } from "../world.ts";

/** Null where the answer is as expected, else what is wrong with it. */
export type Fault = string | null;

export interface Expectation {
  readonly text: string;
  /** `ask` asks as whoever the statement is asked as; `served` is what only people around the service have. */
  readonly fault: (reply: Reply, ask: Ask, served: Served) => Fault | Promise<Fault>;
}

/** One that the answer alone decides. */
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
  /** The part of interface.md or decisions.md. */
  readonly clause: string;
  readonly says: string;
  /** The release that is asked. */
  readonly of: ReleaseName;
  /** Path and query, exactly as they go out; `{digest}` stands for the release's digest as it is written in addresses. */
  readonly path: string;
  readonly question: Question;
  /** The signed-in user who sends the request from the site; without it, the request is anonymous. */
  readonly as?: Visitor;
  /** `{id}` of the path stands for the id of the last thing that was made. */
  readonly given?: readonly Given[];
  readonly expects: readonly Expectation[];
}

export type Row = Omit<Statement, "clause">;

/** A row asked of the full release. */
export function row(says: string, path: string, ...expects: readonly Expectation[]): Row {
  return { says, path, expects, of: "full", question: {} };
}

/** A row asked with a method, headers or a body. */
export function asked(says: string, path: string, question: Question, ...expects: readonly Expectation[]): Row {
  return { says, path, expects, of: "full", question };
}

/** A row asked of a release that lacks something. */
export function lacking(of: ReleaseName, says: string, path: string, ...expects: readonly Expectation[]): Row {
  return { says, path, expects, of, question: {} };
}

/** The rows of a part of the specification. */
export function clause(name: string, rows: readonly Row[]): Statement[] {
  return rows.map((entry) => ({ clause: name, ...entry }));
}
