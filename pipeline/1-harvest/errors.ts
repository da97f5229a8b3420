/** The errors that can end a harvest: small classes with a stable code, a message that says what to do, and the cause kept. */

/** An option no harvest can run with. */
export class BadHarvestOption extends Error {
  readonly code = "bad-harvest-option";
}

/** A path that was named and is not there. */
export class InputMissing extends Error {
  readonly code = "input-missing";
}

/** The service said no (a 4xx, or an error where records were due): asking again would not help. */
export class UpstreamRefused extends Error {
  readonly code = "upstream-refused";
  readonly status: number;

  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** The service could not be had after every try; what came so far is kept and the same command goes on from there. */
export class UpstreamUnavailable extends Error {
  readonly code = "upstream-unavailable";
}

/** An answer larger than any page may be. */
export class BodyTooLarge extends Error {
  readonly code = "body-too-large";
}

/** An address, or a redirect to one, that is not a host of the source. */
export class ForbiddenHost extends Error {
  readonly code = "forbidden-host";
}

/** checkpoint.json is there and cannot be read. */
export class CheckpointUnreadable extends Error {
  readonly code = "checkpoint-unreadable";
}

/** As many requests or minutes as the run was given are spent; the same command goes on from there. */
export class BudgetSpent extends Error {
  readonly code = "budget-spent";
}

/** True for what the service is to blame for, not this machine. */
export function isUpstream(error: unknown): boolean {
  const kinds = [UpstreamRefused, UpstreamUnavailable, BodyTooLarge, ForbiddenHost];
  return kinds.some((kind) => error instanceof kind);
}
