/** The error for a configuration that the server cannot work with. The operator can correct it. */
export class ConfigurationError extends Error {
  readonly code = "ERR_CONFIGURATION";

  /** `message` says what to change. It is printed, so it contains no secret. */
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}
