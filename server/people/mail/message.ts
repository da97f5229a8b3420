/** A message to one person, in plain text and HTML. */

export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** When it was written. */
  readonly at: Date;
}
