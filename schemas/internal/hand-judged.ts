/** Counts of what a person found in captured payloads and what the program said of them (docs/hand-judged.json). */

import { z } from "zod";
import { publicVersion } from "../public/rubric.ts";
import { isoDate } from "../public/scalars.ts";
import { signalId } from "../public/signal.ts";

const count = z.int().min(0);

export const handJudged = z.strictObject({
  asOf: isoDate,
  datasets: count,
  signals: z.array(
    z.strictObject({
      rubric: publicVersion,
      signal: signalId,
      presentPassed: count,
      presentAbsent: count,
      presentUnjudged: count,
      absentPassed: count,
      absentAbsent: count,
      absentUnjudged: count,
    }),
  ),
});
export type HandJudged = z.infer<typeof handJudged>;
