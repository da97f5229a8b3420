/** Requests for badges, which nginx counts apart and refuses with badges, as the server does. */

import type { ProblemType } from "../../schemas/public/problem.ts";
import { refusedBadge } from "../pages/badge.ts";
import { BADGE_ROUTES, labelOf, refusalWord } from "../pages/badge-refusal.ts";
import type { Route } from "../routes/route.ts";
import { expression } from "./quote.ts";

/** `1` where somebody asks for a badge, else empty. */
export const IS_BADGE = "$share_is_badge";

/** The variable that holds the badge which says a word, for the address that is asked. */
const badgeVariable = (word: string) => `$share_badge_${word.replaceAll(" ", "_")}`;

const WORDS = ["unknown", "try later"] as const;

function pathPattern({ path }: Route): string {
  return path.replaceAll(".", "\\.").replace(/\{\w+\}/, () => "[^?]+");
}

/** The maps that tell badges from all else, and that hold what they are refused with. */
export function badgeMaps(): string {
  const asked = BADGE_ROUTES.map((route) => `    ${expression(`^(?:GET|HEAD) ${pathPattern(route)}(?:[?]|$)`)} 1;`);
  const refusals = WORDS.map((word) => {
    const entries = BADGE_ROUTES.map(
      (route) => `    ${expression(`^${pathPattern(route)}`)} '${refusedBadge(labelOf(route), word)}';`,
    );
    return `map $request_uri ${badgeVariable(word)} {\n${entries.join("\n")}\n    default "";\n}\n`;
  });
  return [
    `map "$request_method $request_uri" ${IS_BADGE} {\n${asked.join("\n")}\n    default "";\n}\n`,
    ...refusals,
  ].join("\n");
}

/** The variable that nginx puts the badge of a refusal with. */
export function refusedBadgeVariable(type: ProblemType): string {
  return badgeVariable(refusalWord(type));
}
