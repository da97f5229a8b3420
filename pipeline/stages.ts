/** The six stages in order. Read this and you know the system. */

import { harvestFiles, harvestHttp } from "./1-harvest/index.ts";
import { normalise } from "./2-normalise/index.ts";
import { score } from "./3-score/index.ts";
import { aggregate } from "./4-aggregate/index.ts";
import { render } from "./5-render/index.ts";
import { release } from "./6-release/index.ts";

export const STAGES = {
  /** The world → raw payloads, verbatim, append-only. Runs by itself, as often as there is something new. */
  harvest: { number: 1, files: harvestFiles, http: harvestHttp },
  /** Raw payloads → record, evidence, creator, affiliation and facet rows, one record a dataset. */
  normalise: { number: 2, run: normalise },
  /** Evidence × contract × pledge → masks, buckets, total. */
  score: { number: 3, run: score },
  /** Records and scores → researchers, metrics, repositories, institutions, countries, search terms. */
  aggregate: { number: 4, run: aggregate },
  /** Rows → pages of records and researchers, and badges. */
  render: { number: 5, run: render },
  /** Tables and pages → an immutable release with digest, manifest and receipt. */
  release: { number: 6, run: release },
} as const;
