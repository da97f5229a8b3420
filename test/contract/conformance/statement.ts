/** A statement of the interface: where it stands, what it says, what is asked, and what the answer must be. */

import type { Reply } from "../../server/ask.ts";
import type { Ask, Question } from "../client.ts";
import type { ReleaseName } from "../world.ts";

/** Null where the answer is as expected, else what is wrong with it. */
export type Fault = string | null;

export interface Expectation {
  readonly text: string;
  readonly fault: (reply: Reply, ask: Ask) => Fault | Promise<Fault>;
}

export interface Statement {
  /** The part of interface.md or decisions.md. */
  readonly clause: string;
  readonly says: string;
  /** The release that is asked. */
  readonly of: ReleaseName;
  /** Path and query, exactly as they go out; `{digest}` stands for the release's digest as it is written in addresses. */
  readonly path: string;
  readonly question: Question;
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
