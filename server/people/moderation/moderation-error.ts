/** A wish of a moderator that cannot be met; the message says why and what to do. */

export class ModerationError extends Error {
  readonly code = "ERR_MODERATION";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ModerationError";
  }
}
