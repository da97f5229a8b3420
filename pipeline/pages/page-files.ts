/** Which page files one record or researcher has: by route and version, from the table of routes. */

import { ROUTES } from "../../api-static/routes/index.ts";
import { type PageFile, pagePath, type Route } from "../../api-static/routes/route.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";

export interface KeyedFile {
  readonly route: Route;
  readonly file: PageFile;
  readonly version: PublicVersion;
}

/** The files of every key of that subject under the versions given. */
export function keyedFiles(subject: "record" | "researcher", versions: readonly PublicVersion[]): KeyedFile[] {
  return ROUTES.filter((route) => route.subject === subject).flatMap((route) =>
    versions.flatMap((version) => {
      const file = route.pages.find((page) => page.version === version);
      return file === undefined ? [] : [{ route, file, version }];
    }),
  );
}

/** What the paths of those files begin with; no other file of a release begins like that. */
export function keyedFolders(files: readonly KeyedFile[]): string[] {
  return [...new Set(files.map(({ file }) => file.path.slice(0, file.path.indexOf("{"))))];
}

/** The paths of the files of one key. */
export function pathsOf(files: readonly KeyedFile[], key: string): string[] {
  return files.map(({ route, file }) => pagePath(route, file, key));
}
