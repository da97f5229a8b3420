/** What can keep a release from being fetched. */

/** What is offered is no sound release: asking again will not help. */
export class FetchRefused extends Error {
  readonly code = "ERR_FETCH_REFUSED";
  constructor(url: string, what: string, options?: ErrorOptions) {
    super(`${url} ${what}`, options);
    this.name = "FetchRefused";
  }
}

/** Nobody is there: asking again at once will not help, and what was typed may be wrong. */
export class FetchUnanswered extends Error {
  readonly code = "ERR_FETCH_UNANSWERED";
  constructor(url: string, cause: unknown) {
    super(`nobody answers at ${url} (${reasonOf(cause)}); is the address right, and is it being served?`, { cause });
    this.name = "FetchUnanswered";
  }
}

/** The connection gave out too often: asking again goes on where this stopped. */
export class FetchInterrupted extends Error {
  readonly code = "ERR_FETCH_INTERRUPTED";
  constructor(url: string, cause: unknown) {
    super(`${url} cannot be had (${reasonOf(cause)}); the same command goes on where this one stopped`, { cause });
    this.name = "FetchInterrupted";
  }
}

/** The platform's fetch wraps what went wrong; a name with several addresses wraps it twice, without words. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message === "" && "code" in error ? error.code : error.message;
}
