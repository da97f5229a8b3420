/**
 * Refusals of badges as badges: an image that is no image breaks the page it is on. The status says the rest to programs
 * (decisions.md, "Badges").
 */

import { PROBLEMS, type ProblemType } from "../../schemas/public/problem.ts";
import { ROUTES } from "../routes/index.ts";
import { isBadge, type Route } from "../routes/route.ts";
import { BADGE_LABELS, refusedBadge } from "./badge.ts";

/** Addresses that answer with badges. */
const BADGE_ROUTES: readonly Route[] = ROUTES.filter(isBadge);

/** The word a badge has in place of its figure. */
export function refusalWord(type: ProblemType): "unknown" | "try later" {
  const { status } = PROBLEMS[type];
  return status === 429 || status >= 500 ? "try later" : "unknown";
}

/** The badge that an address answers a refusal with; null where the address is of no badge. `path`: as it was sent. */
export function badgeRefusal(path: string, type: ProblemType): string | null {
  const route = BADGE_ROUTES.find((each) => isAt(each, path));
  return route === undefined ? null : refusedBadge(labelOf(route), refusalWord(type));
}

/** The left half of the badges of a route. */
export function labelOf({ subject }: Route): string {
  if (subject === "record" || subject === "repository" || subject === "researcher") return BADGE_LABELS[subject];
  throw new Error(`no badge is about a ${subject}`);
}

/** Whether a path is one of the route, whatever stands for its key: also what cannot be decoded. */
function isAt({ path: template }: Route, path: string): boolean {
  const [before = "", after = ""] = template.split(/\{\w+\}/);
  return path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length;
}
