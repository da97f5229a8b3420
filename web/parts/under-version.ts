/** Links between pages that have a version: who reads under one stays under it. */

import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";

/** The address under this version. The first is asked for without naming it; `path` may end in a fragment, and has no query. */
export function underVersion(path: string, version: string): string {
  if (version === PUBLIC_VERSIONS[0]) return path;
  const [place = "", fragment] = path.split("#");
  return `${place}?rubric=${version}${fragment === undefined ? "" : `#${fragment}`}`;
}
