/** The option `--only`, which selects parts of sources. */

import { Option } from "commander";
import { readSelection } from "../../pipeline/sources/adapter/selection.ts";
import type { Selector, Source, SourcePart } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { shown } from "../terminal/text.ts";
import { UsageError } from "./exit-codes.ts";
import { knownSource } from "./known-source.ts";
import type { SettingName } from "./settings.ts";

/**
 * The option --only. A semicolon separates several parts in SHARE_ONLY, so a part cannot contain a semicolon itself.
 */
export const onlyOption = new Option(
  "--only <parts...>",
  "Harvest only these parts of a source, such as client=tib.tib, or zenodo:community=biosyslit if several sources have such parts",
)
  .env("SHARE_ONLY" satisfies SettingName)
  .argParser((text: string, before: readonly string[] = []) => [
    ...before,
    ...text
      .split(";")
      .map((part) => part.trim())
      .filter(Boolean),
  ]);

/** Returns a list of the parts that each source can select, for the help of a command. */
export function selectorsHelp(): string {
  const rows = SOURCES.flatMap(({ name, walk: { selectors = [] } }) =>
    selectors.map((selector) => `  ${name.padEnd(15)} ${formatExample(selector)}`),
  );
  return `\nParts for --only:\n${rows.join("\n")}`;
}

function formatExample({ name, example }: Selector): string {
  return `${name}=${example}`;
}

/**
 * Returns the selected parts. A text such as `zenodo:community=biosyslit` names its source. Without that prefix,
 * exactly one of `sources` must have parts of this kind.
 *
 * @throws UsageError
 */
export function partsNamed(texts: readonly string[], sources: readonly Source[]): SourcePart[] {
  return texts.map((text) => partNamed(text, sources));
}

function partNamed(text: string, sources: readonly Source[]): SourcePart {
  const [, prefix, name = "", value = ""] = /^(?:([a-z_]+):)?([a-z]+)=(.*)$/s.exec(text) ?? [];
  const option = `--only ${shown(text)}`;
  if (name === "")
    throw new UsageError(`${option} is not a part of a source; write it as name=value, such as client=tib.tib`);
  const among = prefix === undefined ? sources : sources.filter((each) => each.name === knownSource(prefix).name);
  const [source, ...others] = among.filter(({ walk }) => findSelector(walk.selectors, name) !== undefined);
  const selector = findSelector(source?.walk.selectors, name);
  if (source === undefined || selector === undefined) throw new UsageError(`${option}: ${unknownText(name, among)}`);
  if (others.length > 0) {
    const names = [source, ...others].map((each) => each.name).join(", ");
    throw new UsageError(
      `${option} does not name its source: ${names} have such parts; write ${source.name}:${name}=… for one of them`,
    );
  }
  const only = readSelection(source, `${name}=${value}`);
  if (only === null)
    throw new UsageError(`${option}: ${source.name} does not allow this value; write it as ${formatExample(selector)}`);
  return { source, only };
}

function findSelector(selectors: readonly Selector[] | undefined, name: string): Selector | undefined {
  return selectors?.find((each) => each.name === name);
}

function unknownText(name: string, sources: readonly Source[]): string {
  const [source] = sources;
  if (source === undefined)
    return "this command does not harvest that source; name the source too, or leave out this part";
  if (sources.length > 1) return `no source can select by "${name}". \`harvest --help\` lists the parts`;
  const known = (source.walk.selectors ?? []).map(formatExample);
  const can = known.length === 0 ? "nothing, because it is always harvested as a whole" : known.join(", ");
  return `${source.name} cannot select by "${name}". It can select ${can}`;
}
