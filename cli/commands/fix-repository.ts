/** share-release fix --repository: repairs all datasets of a repository in a release. */

import { join } from "node:path";
import { plural } from "../../pipeline/reading/text.ts";
import type { Provenance } from "../../pipeline/repair/enrichment.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import { type RepositoryRepairs, repairRepository } from "../../releases/repair.ts";
import { contractNamed } from "../options/contract.ts";
import { CommandFailed } from "../options/exit-codes.ts";
import { releaseOrNewest } from "../options/releases.ts";
import { openExistingStore, plainPath, printResult, type SharedOptions, today } from "../options/shared.ts";
import { shown } from "../terminal/text.ts";

interface RepositoryOptions extends SharedOptions {
  readonly rubric: string;
  readonly output?: string;
}

export async function fixRepository(
  repository: string,
  options: RepositoryOptions,
  provenance: Provenance | null,
): Promise<void> {
  const store = openExistingStore(options);
  const release = await releaseOrNewest(store, undefined);
  const folder = plainPath("--output", options.output ?? ".");
  const contract = contractNamed(options.rubric).contract;
  const inputs = { repository, folder, provenance, contract, asOf: today(), getReader };
  const repairs = await repairRepository(store, release, inputs);
  if (repairs === null) {
    throw new CommandFailed(
      `the release has no dataset of a repository called ${repository}; the exact names are on the site and in the column repository of the table records`,
    );
  }
  printResult(options, repairs, (done) => repairsText(done, join(folder, "changes.csv")));
}

function repairsText(
  { repository, datasets, repaired, missing, points, files }: RepositoryRepairs,
  csv: string,
): string {
  const lines = [
    `${shown(repository)}: ${repaired} of ${plural(datasets, "dataset")} can be repaired, for ${plural(points, "point")} together.`,
    ...(missing === 0
      ? []
      : [
          `${plural(missing, "dataset")} could not be read, because the store no longer has the payload. Harvest again.`,
        ]),
    `Written: ${files.join(" and ")}. Read ${csv} before you send anything: it has one line for each change.`,
  ];
  return lines.join("\n");
}
