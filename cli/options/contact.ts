/** The contact that the environment names; a variable that is there and empty is a mistake, and is named. */

import { isContact } from "../../pipeline/1-harvest/identification.ts";
import { UsageError } from "./exit-codes.ts";

/** An e-mail address that services and readers can write to, or null where nothing is said. */
export function contactOf(environment: NodeJS.ProcessEnv): string | null {
  const contact = given(environment, "SHARE_CONTACT");
  if (contact === null || isContact(contact)) return contact;
  throw new UsageError("SHARE_CONTACT must be one plain e-mail address, such as you@example.org");
}

/** The value of a variable, null where there is none. */
export function given(environment: NodeJS.ProcessEnv, variable: string): string | null {
  const value = environment[variable];
  if (value?.trim() === "") throw new UsageError(`${variable} is empty: give it a value, or unset it`);
  return value ?? null;
}
