/** Lists the sources by name. To add a repository, add its folder and a line here. */

import type { Source } from "./adapter/source.ts";
import { clinicaltrials } from "./clinicaltrials/source.ts";
import { datacite } from "./datacite/source.ts";
import { dataverse } from "./dataverse/source.ts";
import { dryad } from "./dryad/source.ts";
import { edi } from "./edi/source.ts";
import { figshare } from "./figshare/source.ts";
import { geo } from "./geo/source.ts";
import { nasaCmr } from "./nasa_cmr/source.ts";
import { openaire } from "./openaire/source.ts";
import { openneuro } from "./openneuro/source.ts";
import { osf } from "./osf/source.ts";
import { sra } from "./sra/source.ts";
import { zenodo } from "./zenodo/source.ts";

export const SOURCES: readonly Source[] = [
  clinicaltrials,
  datacite,
  dataverse,
  dryad,
  edi,
  figshare,
  geo,
  nasaCmr,
  openaire,
  openneuro,
  osf,
  sra,
  zenodo,
];

export function sourceNamed(name: string): Source | null {
  return SOURCES.find((source) => source.name === name) ?? null;
}
