/**
 * Cursors: where to go on in a list, as a text that is only to be sent back. It holds the release, what was asked, and the
 * last row that was given; nothing is kept for it. It is no secret: its check tells what was cut or changed on the way, and
 * who makes one up asks for rows of a list that anybody may read.
 */

import { hash } from "node:crypto";
import { ProblemError } from "../../http/answer.ts";

/** What was asked of a list, by parameter. */
export type AskedOfList = Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined };

/** A row of a release's list, and the rows of the answers up to it. */
export interface Place {
  readonly position: number;
  readonly before: number;
}

/** The cursor of the beginning. */
export const BEGINNING = "*";

/** Bytes of the release's digest, of that of what was asked, and of the check. */
const TAG_BYTES = 8;
const LENGTH = 3 * TAG_BYTES + 8;

/** What may differ between a cursor's answer and the next: how much is given of the rows, and of each. */
const FREE: readonly string[] = ["cursor", "limit", "fields", "page"];

/** `release`: digest of the release that is asked, the active one or that of the address. */
export function writeCursor(list: string, query: AskedOfList, release: string, { position, before }: Place): string {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(position, 0);
  numbers.writeUInt32BE(before, 4);
  const told = Buffer.concat([tagOf(release), tagOf(askedText(list, query)), numbers]);
  return Buffer.concat([told, tagOf(told)]).toString("base64url");
}

/**
 * The place a cursor names; null for the beginning.
 * @throws ProblemError `invalid-parameter` for what is no cursor, or one of another question; `cursor-expired` for one of
 *   another release
 */
export function readCursor(list: string, query: AskedOfList, release: string): Place | null {
  const { cursor = BEGINNING } = query;
  if (cursor === BEGINNING) return null;
  const bytes = Buffer.from(cursor, "base64url");
  const told = bytes.subarray(0, LENGTH - TAG_BYTES);
  const check = bytes.subarray(LENGTH - TAG_BYTES);
  if (bytes.length !== LENGTH || bytes.toString("base64url") !== cursor || !tagOf(told).equals(check)) {
    throw refusal("is no cursor as it was given: it was cut or changed; begin again with *");
  }
  if (!tagOf(release).equals(told.subarray(0, TAG_BYTES))) {
    throw new ProblemError(
      "cursor-expired",
      "The cursor was given for another release than this one; begin again with cursor=*.",
    );
  }
  if (!tagOf(askedText(list, query)).equals(told.subarray(TAG_BYTES, 2 * TAG_BYTES))) {
    throw refusal("was given for another list, filter or order; only limit and fields may change");
  }
  return { position: told.readUInt32BE(2 * TAG_BYTES), before: told.readUInt32BE(2 * TAG_BYTES + 4) };
}

function askedText(list: string, query: AskedOfList): string {
  const asked = Object.entries(query).filter(([name, value]) => value !== undefined && !FREE.includes(name));
  return JSON.stringify([list, ...asked.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
}

function tagOf(content: string | Uint8Array): Buffer {
  return hash("sha256", content, "buffer").subarray(0, TAG_BYTES);
}

function refusal(message: string): ProblemError {
  return new ProblemError("invalid-parameter", "The cursor cannot be gone on from.", {
    errors: [{ path: "cursor", message }],
  });
}
