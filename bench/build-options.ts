/** The options that every build of a benchmark is made with. */

import type { ReleaseOptions } from "../releases/activate.ts";

export const BUILD: ReleaseOptions = {
  asOf: "2026-11-01",
  sources: ["datacite"],
  rubrics: ["2.0", "1.0"],
  attribution: true,
  history: true,
  withheld: [],
  ror: null,
  citations: null,
  threads: 2,
  memory: null,
  activate: true,
};
