/** What published files are answered with: the server's own content types and cache rules. */

import { mediaType } from "../../../api-static/routes/media-type.ts";
import { CACHE, JSON_TYPE } from "../../../api-static/routes/route.ts";
import type { FileHeaders } from "./target.ts";

/** Of a file below releases/: it never changes. */
export function releaseFileHeaders(path: string): FileHeaders {
  return { contentType: mediaType(path), cacheControl: CACHE.immutable };
}

/** Of the list of releases, which changes as pages do. */
export const LIST_HEADERS: FileHeaders = { contentType: JSON_TYPE, cacheControl: CACHE.page };

/** Of the pointer: who keeps it would go on answering from the release before. */
export const POINTER_HEADERS: FileHeaders = { contentType: JSON_TYPE, cacheControl: CACHE.never };
