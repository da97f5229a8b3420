/** Runs one build in a separate process, and prints its time and peak memory as JSON. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "../pipeline/store/store.ts";
import { buildAndActivate } from "../releases/activate.ts";
import { BUILD } from "./corpus.ts";
import { silent, watchMemory } from "./measure.ts";

const [folder = "", memory = null] = process.argv.slice(2);
const store = openStore(folder);
const stages = new Map<string, number>();
let last = performance.now();
let stage = "normalise";
const effects = {
  ...silent,
  progress: (progress: { stage: string }) => {
    const now = performance.now();
    stages.set(stage, (stages.get(stage) ?? 0) + now - last);
    last = now;
    stage = progress.stage;
  },
};
const peak = watchMemory();
const start = performance.now();
await buildAndActivate(
  store,
  // Every run does all the work.
  { ...BUILD, memory, reuse: "never" },
  effects,
);
const seconds = (performance.now() - start) / 1000;
const bytes = peak();
await rm(join(folder, "work"), { recursive: true, force: true });
process.stdout.write(
  `${JSON.stringify({ seconds, bytes, stages: Object.fromEntries([...stages].map(([name, ms]) => [name, ms / 1000])) })}\n`,
);
