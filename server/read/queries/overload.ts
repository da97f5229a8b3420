/** The reasons that a query is not answered: the engine has too much to do, the query takes too long, or nobody waits for it any more. */

import { ProblemError } from "../../frame/answering/problem-error.ts";

/** More wait than the engine can answer soon. */
export function tooMany(): ProblemError {
  return new ProblemError("overloaded", "Too many queries are waiting; try again.", {
    headers: { "retry-after": "1" },
  });
}

/** Asking again at once would only cost as much again. */
export function tooLong(milliseconds: number): ProblemError {
  return new ProblemError(
    "overloaded",
    `The query took longer than ${milliseconds / 1000} seconds; ask for less, or try again later.`,
    { headers: { "retry-after": "10" } },
  );
}

/** The client hung up: the problem is thrown to end the work, and nobody reads it. */
export class ClientGone extends ProblemError {
  constructor() {
    super("overloaded", "The client went away before the query was answered.");
    this.name = "ClientGone";
  }
}
