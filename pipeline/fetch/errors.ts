/** What can keep a release from being fetched. */

/** What is offered is no sound release: asking again will not help. */
export class FetchRefused extends Error {
  readonly code = "ERR_FETCH_REFUSED";
  constructor(url: string, what: string, options?: ErrorOptions) {
    super(`${url} ${what}`, options);
    this.name = "FetchRefused";
  }
}

/** The connection gave out too often: asking again goes on where this stopped. */
export class FetchInterrupted extends Error {
  readonly code = "ERR_FETCH_INTERRUPTED";
  constructor(url: string, cause: unknown) {
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : cause;
    super(`${url} cannot be had (${reason}); the same command goes on where this one stopped`, { cause });
    this.name = "FetchInterrupted";
  }
}
