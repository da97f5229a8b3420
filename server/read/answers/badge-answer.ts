/** A badge as it was asked for: drawn here in one of the styles, or as words for shields.io to draw. */

import { z } from "zod";
import { type BadgeWords, drawBadge, endpointBadgeOf } from "../../../api-static/pages/badge.ts";
import { pageBytes, pageText } from "../../../api-static/pages/read-page.ts";
import { isBadge, type Route } from "../../../api-static/routes/route.ts";
import { type BadgeLook, badgeQuery } from "../../../schemas/public/api/badge.ts";
import { type Answer, contentAnswer } from "../../http/answer.ts";

const lookQuery = badgeQuery.pick({ style: true, label: true });
const pinQuery = z.object({ release: z.string() });

/** How a badge is to look, by what its schema gave; null where it is the usual one, which has a page. */
export function askedLook(query: unknown): BadgeLook | null {
  const { style, label = null } = lookQuery.parse(query);
  return style === "flat" && label === null ? null : { style, label };
}

/** The digest, `sha256-<hex>`, of the release that a figure is to be of; null where it is the active one. */
export function pinnedDigest(query: unknown): string | null {
  return pinQuery.safeParse(query).data?.release ?? null;
}

/** `look`: null for the usual one. */
export function badgeAnswer(route: Route, words: BadgeWords, look: BadgeLook | null): Answer {
  const { contentType, cache } = route;
  const text = isBadge(route) ? drawBadge(words, look ?? {}) : pageText(endpointBadgeOf(words, look ?? {}));
  return contentAnswer(pageBytes(text), contentType, cache);
}
