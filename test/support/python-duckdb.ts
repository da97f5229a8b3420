/** The Python that has DuckDB, if there is one; without it, suites that need it print a warning. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./bundled-corpus.ts";

const INSTALLED = join(REPOSITORY, ".recompute/bin/python");

const given = existsSync(INSTALLED) ? INSTALLED : "python3";

/** Null if there is none. */
export const python: string | null = spawnSync(given, ["-c", "import duckdb"]).status === 0 ? given : null;

if (python === null) {
  process.stderr.write(
    `\n*** NOTHING IS RECOMPUTED IN PYTHON: ${given} has no duckdb. \`make recompute\` installs it. ***\n\n`,
  );
}
