/** An address of the operator's own that an option names. */

import { UsageError } from "../exit-codes.ts";

/**
 * Said without the address, which may hold what must not be repeated.
 * @throws UsageError
 */
export function httpAddress(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw new UsageError(`${option} takes an http or https address, without credentials in it`);
}
