/** What the environment says of who asks; a variable that is there and empty is a mistake, and is named. */

import { UsageError } from "./exit-codes.ts";

/** An address that services can write to, or null where nothing is said. */
export function contactOf(environment: NodeJS.ProcessEnv): string | null {
  return given(environment, "SHARE_CONTACT");
}

/** The value of a variable, null where there is none. */
export function given(environment: NodeJS.ProcessEnv, variable: string): string | null {
  const value = environment[variable];
  if (value?.trim() === "") throw new UsageError(`${variable} is empty: give it a value, or unset it`);
  return value ?? null;
}
