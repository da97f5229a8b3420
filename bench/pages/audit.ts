/** Runs Lighthouse on one page in the system's Chromium. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const PROGRAM = join(import.meta.dirname, "../../test/lighthouse/node_modules/lighthouse/cli/index.js");

/** True if Lighthouse is installed, for example by `make lighthouse`. */
export const HAS_LIGHTHOUSE = existsSync(PROGRAM);

const report = z.object({
  categories: z.record(
    z.string(),
    z.object({
      score: z.number().nullable(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
    }),
  ),
  audits: z.record(z.string(), z.object({ score: z.number().nullable() })),
});

export interface Audited {
  readonly category: string;
  /** The score of the page, from 0 to 100. */
  readonly score: number;
  /** Ids of the audits that reduced the score. */
  readonly wrong: readonly string[];
}

/**
 * Audits a page with Lighthouse in one or several categories, such as `performance`.
 * @throws Error if Chromium or Lighthouse fails, or does not finish within minutes
 */
export async function audit(url: string, categories: readonly string[], browser: string): Promise<readonly Audited[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      PROGRAM,
      url,
      "--output=json",
      "--quiet",
      "--no-enable-error-reporting",
      `--only-categories=${categories.join(",")}`,
      "--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage",
    ],
    { env: { ...process.env, CHROME_PATH: browser }, maxBuffer: 64 * 1024 * 1024, timeout: 240_000 },
  );
  const { categories: found, audits } = report.parse(JSON.parse(stdout));
  return Object.entries(found).map(([category, { score, auditRefs }]) => ({
    category,
    score: Math.round(100 * (score ?? 0)),
    wrong: auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1).map(({ id }) => id),
  }));
}
