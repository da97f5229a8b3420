/** share-release fixtures: writes generated payloads to raw/, as if they had been harvested. */

import { type Command, Option } from "commander";
import { writeGenerated } from "../../fixtures/write.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { withEffects } from "../options/effects.ts";
import { command, countArgument, openChosenStore, printResult, type SharedOptions } from "../options/shared.ts";

interface FixturesOptions extends SharedOptions {
  readonly records: number;
  readonly seed: number;
  readonly source?: "datacite" | "zenodo" | "clinicaltrials";
}

/** Share of each source in the generated records, in percent, if --source is not given. */
const SHARES = { datacite: 80, zenodo: 15, clinicaltrials: 5 } as const;

export function fixturesCommand(): Command {
  return command("fixtures", "Generate payloads with realistic distributions in raw/, as if harvested", [
    "fixtures --records 1000 --seed 1",
    "fixtures --records 1000000 --seed 7 --source datacite --store /data/bench",
  ])
    .requiredOption("--records <n>", "Number of records", countArgument(1))
    .requiredOption("--seed <n>", "Seed of the generator; the same seed gives the same bytes", countArgument(0))
    .addOption(new Option("--source <name>", "Only this source (default: all three)").choices(Object.keys(SHARES)))
    .action(async (options: FixturesOptions) => {
      const store = openChosenStore(options);
      const written: Record<string, number> = {};
      await withEffects(async (effects) => {
        for (const [source, records] of Object.entries(shareOut(options))) {
          if (records === 0) continue;
          const corpus = { source: source as keyof typeof SHARES, records, seed: options.seed };
          written[source] = await writeGenerated(store, corpus, effects);
        }
      });
      printResult(options, { written, seed: options.seed }, (result) =>
        Object.entries(result.written)
          .map(([source, records]) => `${source}: ${plural(records, "record")}`)
          .join("\n"),
      );
    });
}

function shareOut({ records, source }: FixturesOptions): Record<string, number> {
  if (source !== undefined) return { [source]: records };
  const zenodo = Math.floor((records * SHARES.zenodo) / 100);
  const clinicaltrials = Math.floor((records * SHARES.clinicaltrials) / 100);
  return { datacite: records - zenodo - clinicaltrials, zenodo, clinicaltrials };
}
