/** The error by which a handler says that it cannot answer: a problem of schemas/public/problem.ts, thrown. */

import { PROBLEMS, type Problem, type ProblemType, problemOf } from "../../schemas/public/problem.ts";

export interface ProblemDetails {
  readonly errors?: Problem["errors"];
  /** Headers that belong to the problem, such as Retry-After or Allow. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** `detail` is public: it names what was asked and what to do, never a path, a stack or SQL. */
export class ProblemError extends Error {
  readonly code = "ERR_PROBLEM";
  readonly type: ProblemType;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: Problem["errors"];

  constructor(type: ProblemType, detail: string, { errors, headers = {} }: ProblemDetails = {}) {
    super(detail);
    this.name = "ProblemError";
    this.type = type;
    this.headers = headers;
    this.errors = errors;
  }

  get status(): number {
    return PROBLEMS[this.type].status;
  }

  /** The document; `instance` is the path asked for, without its query. */
  document(instance: string): Problem {
    return problemOf(this.type, this.message, instance, this.errors);
  }
}
