/** What a release does not publish is 409, whichever address asks for it (interface.md, "Errors"). */

import type { Route } from "../../../api-static/routes/route.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { ProblemError } from "../../frame/problem-error.ts";

const NEEDS_HISTORY = new Set(["history"]);
const NEEDS_ATTRIBUTION = new Set(["institutions", "geography"]);

/** `version`: what the route answers under; null where it answers alike under all. */
export function requirePublished(receipt: Receipt, route: Route, version: PublicVersion | null): void {
  const published = receipt.rubrics.map((rubric) => rubric.version);
  if (version !== null && !published.includes(version)) {
    throw new ProblemError(
      "rubric-not-published",
      `The active release publishes no data under SHARE ${version}; it publishes ${published.join(" and ")}.`,
    );
  }
  if (NEEDS_HISTORY.has(route.name) && !receipt.history) {
    throw new ProblemError("history-not-published", "The active release was published without historical metrics.");
  }
  if (NEEDS_ATTRIBUTION.has(route.name) && receipt.attribution?.complete !== true) {
    throw new ProblemError(
      "attribution-not-published",
      "The active release has no complete attribution receipt, so it shows no affiliations and no countries.",
    );
  }
}
