/** The options that every build of a benchmark is made with. */

import type { BuildOptions } from "../operations/build/index.ts";

export const BUILD: BuildOptions = {
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
