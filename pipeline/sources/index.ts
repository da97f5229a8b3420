/** The sources, by name. Adding a repository is adding its folder and its line here. */

import { clinicaltrials } from "./clinicaltrials/source.ts";
import { datacite } from "./datacite/source.ts";
import type { Source } from "./source.ts";
import { zenodo } from "./zenodo/source.ts";

export const SOURCES: readonly Source[] = [clinicaltrials, datacite, zenodo];

/** The source called `name`, or null. */
export function sourceNamed(name: string): Source | null {
  return SOURCES.find((source) => source.name === name) ?? null;
}
