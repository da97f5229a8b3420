/** What a release does not publish is 409, whichever address asks for it (interface.md, "Errors"). */

import { coverageUnder } from "../../../api-static/pages/metrics.ts";
import type { Route } from "../../../api-static/routes/route.ts";
import type { Receipt } from "../../../schemas/public/release.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import { ProblemError } from "../../frame/answering/problem-error.ts";

/** `version`: what the route answers under; null where it answers alike under all. */
export function requirePublished(receipt: Receipt, route: Route, version: PublicVersion | null): void {
  const published = receipt.rubrics.map((rubric) => rubric.version);
  const rubric = receipt.rubrics.find((each) => each.version === version);
  if (version !== null && rubric === undefined) {
    throw new ProblemError(
      "rubric-not-published",
      `The active release publishes no data under SHARE ${version}; it publishes ${published.join(" and ")}.`,
    );
  }
  if (route.needs === "scores" && rubric !== undefined && coverageUnder(receipt.coverage, rubric).scored === 0) {
    throw new ProblemError(
      "rubric-not-published",
      `No record of the active release has a total under SHARE ${rubric.version}.`,
    );
  }
  if (route.needs === "history" && !receipt.history) {
    throw new ProblemError("history-not-published", "The active release was published without historical metrics.");
  }
  if (route.needs === "attribution" && receipt.attribution?.complete !== true) {
    throw new ProblemError(
      "attribution-not-published",
      "The active release has no complete attribution receipt, so it shows no affiliations and no countries.",
    );
  }
}
