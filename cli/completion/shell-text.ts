/** Pieces of shell scripts: quoted words and branches of `case`. */

import type { Completed } from "./completed.ts";

/** A word of bash and zsh, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word of fish, in which a backslash within quotes escapes a quote. */
export function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** One branch of a `case`. */
export function branch(patterns: readonly string[], body: string): string {
  return `        ${patterns.map(quoted).join(" | ")}) ${body} ;;`;
}

/** A branch for each option that takes a value, by its command and its name; `body` is given the values that are known. */
export function cases(all: readonly Completed[], body: (values: readonly string[]) => string): string {
  return all
    .flatMap(({ path, options }) =>
      options.flatMap(({ word, values }) => (values === null ? [] : [branch([`${path} ${word}`], body(values))])),
    )
    .join("\n");
}
