/** The contact that the environment names; a variable that is there and empty is a mistake, and is named. */

import { isContact } from "../../pipeline/1-harvest/identification.ts";
import { UsageError } from "./exit-codes.ts";

/** Returns the operator's contact for readers, an email address or an https URL; null if unset. */
export function contactOf(environment: NodeJS.ProcessEnv): string | null {
  const contact = given(environment, "SHARE_CONTACT");
  if (contact === null || isContact(contact) || isWebAddress(contact)) return contact;
  throw new UsageError(
    "SHARE_CONTACT must be one plain email address, such as you@example.org, or an https URL without a user name",
  );
}

/** Returns the contact that services see in the User-Agent header; null if it is unset or a URL. */
export function emailOf(environment: NodeJS.ProcessEnv): string | null {
  const contact = contactOf(environment);
  return contact !== null && isContact(contact) ? contact : null;
}

function isWebAddress(text: string): boolean {
  if (!/^https:\/\/[^\s\\/]\S*$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** The value of a variable, null where there is none. */
export function given(environment: NodeJS.ProcessEnv, variable: string): string | null {
  const value = environment[variable];
  if (value?.trim() === "") throw new UsageError(`${variable} is empty: give it a value, or unset it`);
  return value ?? null;
}
