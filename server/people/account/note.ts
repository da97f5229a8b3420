/** Notes on what is saved: left out, the earlier one stays; an empty one removes it. */

/** The part that is kept of a note that was sent. */
export function noteOf(sent: string | undefined): string | null {
  return sent === undefined || sent === "" ? null : sent;
}

/** The columns that a note changes. */
export function replacedNote(sent: string | undefined): { note?: string | null } {
  return sent === undefined ? {} : { note: noteOf(sent) };
}
