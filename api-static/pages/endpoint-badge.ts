/** Badges as shields.io takes them: the same words, drawn by whoever asks. */

import type { BadgeLook, EndpointBadge } from "../../schemas/public/api/badge.ts";
import { type BadgeWords, LABEL_GROUND } from "./badge.ts";

/** As long as our own badges are kept; shields.io takes no less. */
const CACHE_SECONDS = 300;

export function endpointBadgeOf({ label, message, color }: BadgeWords, look: Partial<BadgeLook> = {}): EndpointBadge {
  const { style = "flat", label: own = null } = look;
  return {
    schemaVersion: 1,
    label: own ?? label,
    message,
    color,
    labelColor: LABEL_GROUND,
    ...(style === "flat" ? {} : { style }),
    cacheSeconds: CACHE_SECONDS,
  };
}
