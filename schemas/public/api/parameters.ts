/** Schemas of the types of query parameters (interface.md, "Shared list query parameters"). */

import { z } from "zod";
import { PUBLIC_VERSIONS, publicVersion } from "../rubric.ts";

const [PREFERRED] = PUBLIC_VERSIONS;

export const rubricParameter = publicVersion
  .default(PREFERRED)
  .meta({ description: "Public SHARE version of the scores.", examples: [PREFERRED] });

/** Matches a number as in JSON. Also allows leading zeros, and a number that begins with the decimal point. */
const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const MAX_NUMBER_LENGTH = 64;

/** Returns a parameter of type `number` (interface.md) between two limits. `most` is null if there is no upper limit. */
export function decimal(least: number, most: number | null, message = "must be a number such as 70 or 70.5") {
  const number = z.number(message).min(least, `must be at least ${least}`);
  return z
    .string()
    .refine((text) => text.length <= MAX_NUMBER_LENGTH && NUMBER.test(text), { error: message, abort: true })
    .transform(Number)
    .pipe(most === null ? number : number.max(most, `must be at most ${most}`));
}

/** Returns a parameter for an integer, which may be written in any notation, such as 1e3. */
export function integer(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return decimal(least, most, message).pipe(z.int(message).min(least).max(most));
}

/** Returns a parameter for a year, a month or a day. */
export function date() {
  return z
    .string()
    .regex(/^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/, {
      error: "must be a date such as 2020, 2020-05 or 2020-05-17",
      abort: true,
    })
    .refine(isInCalendar, "must be a day that exists, such as 2020-05-17");
}

/** True for a year or month, and for a day that its month has. */
function isInCalendar(text: string): boolean {
  return text.length < 10 || z.iso.date().safeParse(text).success;
}
