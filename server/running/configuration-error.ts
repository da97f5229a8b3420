/** The server was told something it cannot work with: an operator can put it right. */

export class ConfigurationError extends Error {
  readonly code = "ERR_CONFIGURATION";

  /** `message` names what to change, and repeats no secret: it is printed. */
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}
