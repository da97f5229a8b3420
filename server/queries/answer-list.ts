/** A page of a list, by query. */

import type { Route } from "../../api-static/route.ts";
import type { Answer } from "../answer.ts";
import type { OpenRelease } from "../open-release.ts";

export async function answerList(
  _route: Route,
  _query: unknown,
  _csv: boolean,
  _release: OpenRelease,
): Promise<Answer> {
  throw new Error("being written");
}
