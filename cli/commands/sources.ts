/** share-release sources: what each source pledges and when it was last harvested; `check` asks one of them for a record. */

import { Command, Option } from "commander";
import { fetchRecord } from "../../pipeline/1-harvest/index.ts";
import { recordOf } from "../../pipeline/identifiers/parse.ts";
import { nearest } from "../../pipeline/reading/identifiers.ts";
import { publicContracts, readContracts } from "../../pipeline/rubrics/contracts.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { readPledges, supportedMask } from "../../pipeline/sources/pledges.ts";
import { readHarvests } from "../../pipeline/store/raw/harvest-log.ts";
import { CONTRACTS, PUBLIC_VERSIONS, type Rubric } from "../../schemas/public/rubric.ts";
import { POINTS_PER_SIGNAL, popcount } from "../../schemas/public/signal.ts";
import { askedAs, INSTALLABLE, knownSource, sourceNames, throughDoor } from "../options/asked-source.ts";
import { withEffects } from "../options/effects.ts";
import { CommandFailed, DONE_WITH_REFUSALS, UsageError } from "../options/exit-codes.ts";
import { command, type SharedOptions, storeOf } from "../options/shared.ts";
import { checkRecord, checkText, type SourceCheck } from "../text/source-check.ts";
import { type SourceRow, sourcesText } from "../text/sources-text.ts";
import { paint, printLines, printPainted } from "../text/terminal-text.ts";
import { usageInOneLine } from "../text/usage-line.ts";
import { shown } from "../text/wrapped.ts";

interface CheckOptions extends SharedOptions {
  readonly host?: string;
  readonly rubric: string;
  readonly upstream?: string;
}

export function sourcesCommand(): Command {
  const sources = new Command("sources").description("list the sources with pledge, cap and last harvest; check one");
  const own = (each: Command) => each.configureOutput(usageInOneLine(`share-release sources`)).exitOverride();
  return sources.addCommand(own(listCommand()), { isDefault: true }).addCommand(own(checkCommand()));
}

function listCommand(): Command {
  return command("list", "all sources: who they are, what they can score, how they were last harvested", [
    "sources",
    "sources --json",
  ])
    .allowExcessArguments()
    .action(async (options: SharedOptions, self: Command) => {
      // What is no command of the group comes here.
      const [wrong] = self.args;
      if (wrong !== undefined) {
        throw new UsageError(
          `sources has no command "${shown(wrong)}"; did you mean ${nearest(wrong, ["list", "check"])}?`,
        );
      }
      const rows = await Promise.all(SOURCES.map((source) => rowOf(source, options)));
      if (options.json) for (const row of [...rows, { sources: rows.length }]) printLines(JSON.stringify(row));
      else printLines(sourcesText(rows));
    });
}

async function rowOf({ name, rate, hosts, credential }: Source, options: SharedOptions): Promise<SourceRow> {
  const pledge = (await readPledges()).get(name);
  if (pledge === undefined) throw new Error(`${name} has no pledge`);
  const contracts = await publicContracts();
  const supported = contracts.map(({ version, contract }) => {
    const count = popcount(supportedMask(pledge, contract.contract));
    return [version, { signals: count, cap: POINTS_PER_SIGNAL * count }] as const;
  });
  const last = (await readHarvests(storeOf(options).raw(name))).at(-1) ?? null;
  const { repository, operator, homepage, kind, status } = pledge;
  const who = { source: name, name: pledge.name, repository, operator, homepage, kind, status };
  return { ...who, hosts, rate, credential: credential?.variable ?? null, pledge: Object.fromEntries(supported), last };
}

function checkCommand(): Command {
  return command("check", "fetch one record and show the evidence beside the payload's field it came from", [
    "sources check zenodo",
    "sources check clinicaltrials NCT04280705 --rubric 1.0",
  ])
    .argument("<name>", `one of ${sourceNames()}`)
    .argument("[id]", "a record of it; without one, one that is known to be there")
    .option(
      "--host <name>",
      `another installation (${INSTALLABLE.join(", ")} only) that SHARE_<SOURCE>_HOSTS allows: host names, separated by commas`,
    )
    .addOption(
      new Option("--rubric <version>", "public version or exact contract")
        .choices([...PUBLIC_VERSIONS, ...CONTRACTS])
        .default(PUBLIC_VERSIONS[0]),
    )
    .addOption(new Option("--upstream <address>", "for tests: where the service listens").hideHelp())
    .action(async (name: string, id: string | undefined, options: CheckOptions) => {
      const done = await check(throughDoor(knownSource(name), options), id, options);
      if (options.json) {
        for (const signal of done.signals) printLines(JSON.stringify(signal));
        const { signals: _signals, ...summary } = done;
        printLines(JSON.stringify(summary));
      } else printPainted(checkText(done, paint));
      if (done.outcome !== "record") process.exitCode = DONE_WITH_REFUSALS;
    });
}

async function check(source: Source, id: string | undefined, options: CheckOptions): Promise<SourceCheck> {
  const contract = await contractNamed(options.rubric);
  const pledge = (await readPledges()).get(source.name);
  if (pledge === undefined) throw new Error(`${source.name} has no pledge`);
  const sourceId = idOf(source, id);
  const asked = askedAs(source, options);
  const { upstream } = options;
  const http = upstream === undefined ? asked : { ...asked, base: upstream, allowPrivate: true };
  try {
    const fetched = await withEffects((effects) => fetchRecord(source, sourceId, http, effects));
    // The day matters for embargoes only, and the command line may look at the clock.
    return await checkRecord(fetched, {
      source,
      sourceId,
      pledge,
      contract,
      asOf: new Date().toISOString().slice(0, 10),
    });
  } catch (error) {
    if (error instanceof Error && "code" in error) throw new CommandFailed(error.message, { cause: error });
    throw error;
  }
}

function idOf(source: Source, id: string | undefined): string {
  if (id === undefined) return source.example;
  const parsed = recordOf(source, id);
  if (parsed.kind === "record") return parsed.sourceId;
  throw new UsageError(parsed.kind === "refused" ? parsed.reason : `${id} is no record of ${source.name}`);
}

async function contractNamed(version: string): Promise<Rubric> {
  for (const contract of (await readContracts()).values()) {
    if (contract.contract === version || contract.publicVersion === version) return contract;
  }
  throw new UsageError(`there is no rubric ${version}`);
}
