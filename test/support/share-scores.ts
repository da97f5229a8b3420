/**
 * Finds the Python that has the packages of python/requirements.txt. If there is none, prints a warning, because suites are
 * skipped.
 */

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { REPOSITORY } from "./bundled-corpus.ts";

const INSTALLED = join(REPOSITORY, ".python/bin/python");

const given = existsSync(INSTALLED) ? INSTALLED : "python3";

/** The environment in which Python imports the package from its source. */
export const PYTHON_ENVIRONMENT = {
  ...process.env,
  PYTHONPATH: join(REPOSITORY, "python/src"),
  PYTHONDONTWRITEBYTECODE: "1",
};

/** Path of the Python with the packages; null if there is none. */
export const python: string | null =
  spawnSync(given, ["-c", "import duckdb, httpx, pyarrow"]).status === 0 ? given : null;

if (python === null) {
  process.stderr.write(
    `\n*** NOTHING IS RECOMPUTED IN PYTHON: ${given} lacks packages. \`make python\` installs them. ***\n\n`,
  );
}

/** Runs the package share-scores in python/ with these parameters of its command. */
export function shareScores(...parameters: readonly string[]): {
  status: number | null;
  stdout: string;
  stderr: string;
} {
  return spawnSync(python ?? "python3", ["-m", "share_scores.command", ...parameters], {
    encoding: "utf8",
    timeout: 240_000,
    env: PYTHON_ENVIRONMENT,
  });
}

export interface Verifier extends Disposable {
  /** Verifies a release folder with the package, and returns the findings. */
  verify(folder: string): Promise<string[]>;
}

/** Starts one Python process for many verifications, because loading its packages takes longer than a small release. */
export function verifier(): Verifier {
  const program = `import json, sys
from share_scores import Release
for line in sys.stdin:
    with Release(line.strip()) as release:
        print(json.dumps(release.verify().findings), flush=True)`;
  const child = spawn(python ?? "python3", ["-c", program], {
    stdio: ["pipe", "pipe", "inherit"],
    env: PYTHON_ENVIRONMENT,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async verify(folder) {
      child.stdin.write(`${folder}\n`);
      return z.array(z.string()).parse(JSON.parse((await lines.next()).value ?? "null"));
    },
    [Symbol.dispose]: () => void child.stdin.end(),
  };
}
