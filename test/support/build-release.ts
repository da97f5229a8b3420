/** Builds releases with the defaults of the command line, as of the day for which the payloads in fixtures/ are made. */

import { SOURCES } from "../../pipeline/sources/index.ts";
import type { Effects, StageProgress } from "../../pipeline/stage/effects.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { type BuildReleaseOptions, buildAndActivate, type ReleaseResult } from "../../releases/activate.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { AS_OF } from "./bundled-corpus.ts";
import { recordedEffects } from "./effects.ts";

export const BUILD_DEFAULTS: BuildReleaseOptions = {
  asOf: AS_OF,
  sources: SOURCES.map(({ name }) => name).sort(),
  rubrics: PUBLIC_VERSIONS,
  attribution: true,
  history: true,
  withheld: [],
  ror: null,
  citations: null,
  threads: 1,
  memory: "512MB",
  activate: true,
};

/** Builds a release. `now` is the time of publication, and `progressed` receives the progress of the build. */
export function buildRelease(
  store: Store,
  options: Partial<BuildReleaseOptions> = {},
  now?: string,
  progressed: StageProgress[] = [],
): Promise<ReleaseResult> {
  const progress: Effects["progress"] = (said) => void progressed.push(said);
  return buildAndActivate(store, { ...BUILD_DEFAULTS, ...options }, { ...recordedEffects(now), progress });
}
