/** A path the engine can take as it stands. */

import { UsageError } from "./exit-codes.ts";

/**
 * The path itself.
 * @throws UsageError where the engine would read it as a pattern, and so read the files of other folders that match
 */
export function plainPath(option: string, path: string): string {
  const sign = /[*?[\\]/.exec(path)?.[0];
  if (sign === undefined) return path;
  throw new UsageError(
    `${option} ${path}: a path with "${sign}" is a pattern to the engine; choose one without * ? [ \\`,
  );
}
