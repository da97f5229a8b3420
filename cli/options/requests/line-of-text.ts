/** A line of text that an option has: for a log, or for people to read. */

import { plainText } from "../../../schemas/public/account/registration.ts";
import { UsageError } from "../exit-codes.ts";

/** @throws UsageError where it is empty, longer than `most` characters, or has control characters */
export function lineOfText(option: string, text: string, most: number): string {
  const parsed = plainText({ least: 1, most }).safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${option} ${parsed.error.issues[0]?.message ?? "is no text"}`);
}
