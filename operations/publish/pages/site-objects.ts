/** Objects beside the pages: the front page, the reference, the description of the API, and error pages. */

import { openApi } from "../../../api-static/openapi/index.ts";
import { BADGE_LABELS, refusedBadge } from "../../../api-static/pages/badge.ts";
import { PROBLEM_ADVICE } from "../../../api-static/pages/problem-advice.ts";
import { CACHE, HTML_TYPE, JSON_TYPE, SVG_TYPE } from "../../../api-static/routes/route.ts";
import { PROBLEMS, problemOf } from "../../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS } from "../../../schemas/public/rubric.ts";
import { referencePage } from "../../../web/reference/index.ts";
import { frontPage } from "../../../web/views/home.ts";
import { problemTypePage } from "../../../web/views/problem.ts";
import type { FileHeaders } from "../target/target.ts";

export interface SiteObject {
  readonly path: string;
  readonly text: string;
  readonly headers: FileHeaders;
}

const [SHARE_VERSION] = PUBLIC_VERSIONS;
const MISSING = "not-found";
const ADVICE = "There is no such page in this copy. What only a server answers is listed in the reference.";

/** The host answers 403 and 404 with the objects of errors. */
export function siteObjects(): SiteObject[] {
  const missing = { type: `/problems/${MISSING}`, ...PROBLEMS[MISSING], advice: PROBLEM_ADVICE[MISSING] };
  const description = openApi();
  return [
    { path: "openapi.json", text: JSON.stringify(description), headers: kept(JSON_TYPE) },
    { path: "docs", text: referencePage(description), headers: kept(HTML_TYPE) },
    { path: "404.html", text: problemTypePage(missing), headers: kept(HTML_TYPE, CACHE.person) },
    {
      path: "404.json",
      text: JSON.stringify(problemOf(MISSING, ADVICE, "/")),
      headers: kept("application/problem+json", CACHE.person),
    },
    { path: "404.svg", text: refusedBadge(BADGE_LABELS.record, "unknown"), headers: kept(SVG_TYPE, CACHE.person) },
  ];
}

/** The front page. `hrefOf`: the link to a path of the API, without its first slash; null if nothing answers there. */
export function indexObject(hrefOf: (path: string) => string | null): SiteObject {
  return { path: "index.html", text: frontPage(SHARE_VERSION, hrefOf), headers: kept(HTML_TYPE) };
}

function kept(contentType: string, cacheControl: string = CACHE.page): FileHeaders {
  return { contentType, cacheControl };
}
