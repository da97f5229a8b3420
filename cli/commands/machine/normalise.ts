/** share-release normalise: a slice of stage 2 by itself, on any machine that sees the store. */

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { normaliseSlice, type Slice } from "../../../operations/normalise/index.ts";
import { withEffects } from "../../options/effects.ts";
import { existingStoreOf } from "../../options/existing-store.ts";
import { requirePast } from "../../options/past-day.ts";
import { asOfArgument, sourcesNamed } from "../../options/requests/build-basis.ts";
import { command, printResult, type SharedOptions, threadsOption } from "../../options/shared.ts";

interface NormaliseOptions extends SharedOptions {
  readonly asOf: string;
  readonly source?: string[];
  readonly slice: Slice;
  readonly threads: number;
}

const MOST = 100_000;

export function normaliseCommand(): Command {
  return command("normalise", "read raw payloads ahead of a build, all of them or one slice, and keep the rows", [
    "normalise --as-of today",
    "normalise --as-of 2026-11-01 --slice 3/16",
  ])
    .requiredOption("--as-of <day>", "the day the build will be of, or today", asOfArgument)
    .option("--source <names...>", "only these sources")
    .option("--slice <i/n>", "the i-th of n slices of the parts, counted from 0", sliceArgument, { index: 0, count: 1 })
    .addOption(threadsOption)
    .action(async (options: NormaliseOptions) => {
      requirePast("--as-of", options.asOf);
      const [sources, named] = [sourcesNamed(options.source), options.source !== undefined];
      const store = existingStoreOf(options);
      const scratch = await mkdtemp(join(tmpdir(), "share-normalise-"));
      const result = await withEffects((effects) =>
        normaliseSlice(store, { ...options, sources, named, scratch }, effects),
      );
      printResult(options, result, ({ slice, parts, all, kept }) => {
        const which = slice.count === 1 ? "" : `, slice ${slice.index} of ${slice.count}`;
        return `${parts} of ${all} raw parts${which}: ${parts - kept} normalised, ${kept} kept already.`;
      });
    });
}

function sliceArgument(text: string): Slice {
  const [, index = "", count = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const slice = { index: Number(index), count: Number(count) };
  if (count === "" || slice.count < 1 || slice.count > MOST || slice.index >= slice.count) {
    throw new InvalidArgumentError("expected a slice such as 0/16, from 0/16 to 15/16.");
  }
  return slice;
}
