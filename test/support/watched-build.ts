/** Runs share-release build in a process of its own, observes each step, and kills it at the moment the test chooses. */

import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { digestManifest } from "../../pipeline/6-release/index.ts";
import { readReceipt } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { startCommand } from "./command-line.ts";
import { killWhen } from "./killing.ts";

const progressLine = z.object({
  event: z.literal("progress"),
  stage: z.string(),
  step: z.string(),
  done: z.number(),
  total: z.number().nullable(),
  unit: z.string(),
});
type Progress = z.infer<typeof progressLine>;

/** The observed state of a running build. */
export interface Moment {
  /** The last progress that the build reported; null before the first report. */
  readonly progress: Progress | null;
  /** The release that `current` names, as {@link describeCurrent} returns it. */
  readonly current: string;
  /** Milliseconds since the process was started. */
  readonly elapsed: number;
}

export interface Watched {
  /** The exit code; null if the process was killed. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The stages that the build reported, in order. */
  readonly stages: readonly string[];
  /** The different releases that `current` named, in order. */
  readonly currents: readonly string[];
  readonly elapsed: number;
}

/** Polls `current`, and kills the build as soon as `killAt` returns true. */
export async function watchedBuild(
  store: Store,
  parameters: readonly string[],
  killAt: (moment: Moment) => boolean = () => false,
): Promise<Watched> {
  const started = performance.now();
  // Without it, the command logs progress every ten seconds.
  const environment = { SHARE_LOG_LEVEL: "debug" };
  const child = startCommand(["build", "--store", store.root, "--json", ...parameters], { environment });
  if (child.stdout === null || child.stderr === null) throw new Error("the command has no output");
  child.stdout.resume();
  const stages = new Set<string>();
  const currents: string[] = [];
  let progress: Progress | null = null;
  let isDue = false;
  const ask = () => {
    const moment = { progress, current: currents.at(-1) ?? "absent", elapsed: performance.now() - started };
    isDue ||= killAt(moment);
    return isDue;
  };
  const currentNow = rememberedCurrent(store);
  const look = async () => {
    const current = await currentNow();
    if (current !== currents.at(-1)) currents.push(current);
  };
  createInterface({ input: child.stderr }).on("line", (line) => {
    progress = parseProgress(line) ?? progress;
    if (progress !== null) stages.add(progress.stage);
    ask();
  });
  await killWhen(child, ask, look);
  await look();
  return {
    exitCode: child.exitCode,
    signal: child.signalCode,
    stages: [...stages],
    currents,
    elapsed: performance.now() - started,
  };
}

/** Returns the digest of the release that `current` links to, `absent`, or a description of the damage. */
export async function describeCurrent(store: Store): Promise<string> {
  const target = await readlink(store.current).catch(() => null);
  if (target === null) return "absent";
  const folder = join(store.root, target);
  const receipt = await readReceipt(folder);
  if (receipt === null) return `broken: ${target} has no receipt`;
  const manifest = await digestManifest(join(folder, "manifest.ndjson")).catch(String);
  return manifest === receipt.manifestDigest
    ? receipt.releaseDigest
    : `broken: the manifest of ${target} is ${manifest}`;
}

/**
 * Returns a function like {@link describeCurrent}. It reads the release again only if the link, its receipt or its manifest
 * changed.
 */
function rememberedCurrent(store: Store): () => Promise<string> {
  let known: { readonly touched: string; readonly current: string } | null = null;
  return async () => {
    const target = await readlink(store.current).catch(() => "absent");
    const files = ["release.json", "manifest.ndjson"].map((name) => join(store.root, target, name));
    const touches = await Promise.all(files.map((file) => lstat(file).catch(() => null)));
    const seen = touches.map((found) => (found === null ? "none" : `${found.ino} ${found.size} ${found.ctimeMs}`));
    const touched = [target, ...seen].join(" ");
    if (known?.touched !== touched) known = { touched, current: await describeCurrent(store) };
    return known.current;
  };
}

function parseProgress(line: string): Progress | null {
  try {
    return progressLine.parse(JSON.parse(line));
  } catch {
    // Log lines and warnings are not progress.
    return null;
  }
}
