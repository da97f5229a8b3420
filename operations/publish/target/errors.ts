/** What can keep a release from being published. */

/** It must not be done: another try will not help. */
export class PublishRefused extends Error {
  readonly code = "ERR_PUBLISH_REFUSED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishRefused";
  }
}

/** It could not be done to the end; what the target answers from is as it was, and the same command goes on. */
export class PublishInterrupted extends Error {
  readonly code = "ERR_PUBLISH_INTERRUPTED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishInterrupted";
  }
}
