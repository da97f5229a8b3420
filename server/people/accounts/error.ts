/** The account store cannot be opened, or is not one this program may write to. */

export class AccountStoreError extends Error {
  readonly code = "ERR_ACCOUNT_STORE";

  /** `message` names no password and no connection string: it is printed. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AccountStoreError";
  }
}
