/** Other ways of writing a release's address: with a colon, and `latest` for the active one. */

import { CACHE } from "../../../api-static/routes/route.ts";
import { type Answer, redirectAnswer } from "../../frame/answering/answer.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";
import type { ReadRequest } from "../../frame/reading/read-request.ts";

/**
 * The redirect to the address with the digest; null where this is it. `active` is the digest of the active release.
 * @throws ProblemError `no-release` for the latest of none
 */
export function digestAddress({ parameters, path, query }: ReadRequest, active: string | null): Answer | null {
  const { digest = "" } = parameters;
  const asked = query === "" ? "" : `?${query}`;
  if (digest === "latest") {
    if (active === null) throw new ProblemError("no-release", "No release is active yet.");
    const location = path.replace("/latest", `/${active.replace(":", "-")}`);
    return redirectAnswer(`${location}${asked}`, CACHE.page, 307);
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return null;
  return redirectAnswer(`${path.replace(/sha256(:|%3a)/i, "sha256-")}${asked}`, CACHE.immutable);
}
