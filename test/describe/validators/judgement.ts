/**
 * Runs the validators from PyPI on the descriptors of a release. Suites that need the validators print a warning if they are
 * missing.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { REPOSITORY } from "../../support/bundled-corpus.ts";

const PYTHON = join(REPOSITORY, ".validators/bin/python");

/** Path of the Python that has the validators; null if they are not installed. */
export const validators: string | null = existsSync(PYTHON) ? PYTHON : null;

if (validators === null) {
  process.stderr.write("\n*** NO DESCRIPTOR IS JUDGED BY ITS VALIDATOR: `make validators` installs them. ***\n\n");
}

const faults = z.array(z.string());
const found = z.object({
  frictionless: z.object({ tables: z.int(), faults }),
  croissant: z.object({ rows: z.record(z.string(), z.int()), faults }),
  crate: z.object({ passed: z.boolean(), checks: z.int(), faults }),
});

/** Validates the release in a folder without the network. The context of RO-Crate comes from its npm package. */
export function judgement(folder: string): z.infer<typeof found> {
  const cache = mkdtempSync(join(tmpdir(), "share-contexts-"));
  const program = join(import.meta.dirname, "validate.py");
  const context = join(dirname(createRequire(import.meta.url).resolve("ro-crate")), "lib/context.json");
  try {
    const { status, stdout, stderr } = spawnSync(validators ?? "python3", [program, folder, context, cache], {
      encoding: "utf8",
      // Third-party tools store their caches in this folder and make no network requests.
      env: { ...process.env, HOME: cache, XDG_CACHE_HOME: cache },
      timeout: 540_000,
    });
    if (status !== 0) throw new Error(`the validators ended with ${status}: ${stderr.slice(-2000)}`);
    return found.parse(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""));
  } finally {
    rmSync(cache, { recursive: true });
  }
}
