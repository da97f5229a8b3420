/** Every generated section by the name its markers use. */

import { addedAddresses, addresses, peoplesPages, problems } from "./addresses.ts";
import { arrow } from "./arrow.ts";
import { asking } from "./asking.ts";
import { commands, environmentVariables, exitCodes, sourceVariables } from "./command-line.ts";
import { contractDigests, pledgeDigests, vocabularies } from "./digests.ts";
import { evidence } from "./evidence.ts";
import { handJudged } from "./hand-judged.ts";
import { metrics } from "./metrics.ts";
import { packExample, packFamilies, packFiles, packRanges, packReleaseKeys } from "./packs.ts";
import { pledges } from "./pledges.ts";
import { recorded } from "./recorded.ts";
import type { Section } from "./regions.ts";
import { relations } from "./relations.ts";
import { limits, services } from "./services.ts";
import { buckets, changes, signals, states } from "./signals.ts";
import { refusals, tables } from "./tables.ts";

export const SECTIONS: Readonly<Record<string, Section>> = {
  "added-addresses": addedAddresses,
  addresses,
  arrow,
  asking,
  buckets,
  changes,
  commands,
  "contract-digests": contractDigests,
  "environment-variables": environmentVariables,
  evidence,
  "exit-codes": exitCodes,
  "hand-judged": handJudged,
  limits,
  metrics,
  "pack-example": packExample,
  "pack-families": packFamilies,
  "pack-files": packFiles,
  "pack-ranges": packRanges,
  "pack-release-keys": packReleaseKeys,
  "pledge-digests": pledgeDigests,
  pledges,
  "peoples-pages": peoplesPages,
  problems,
  recorded,
  refusals,
  relations,
  services,
  signals,
  "source-variables": sourceVariables,
  states,
  tables,
  vocabularies,
};
