/** What was got is not what the release says, or is not there though it should be. */

export class ReleaseFault extends Error {
  override readonly name = "ReleaseFault";
  readonly code = "release-fault";
  /** The address of the file. */
  readonly url: string;

  constructor(url: string, what: string) {
    super(`${url} ${what}`);
    this.url = url;
  }
}
