/** Runs the benchmarks named on the command line (all by default), and prints each figure with its goal. */

import { cpus, totalmem } from "node:os";
import { benchBuild } from "./build.ts";
import { benchEngines } from "./engines.ts";
import { benchEvaluate } from "./evaluate.ts";
import { benchLoad } from "./load.ts";
import type { Figure } from "./measure.ts";
import { benchNormalise } from "./normalise.ts";
import { benchPages } from "./pages/index.ts";
import { benchPublished } from "./published.ts";
import { benchQueries } from "./queries.ts";
import { benchRebuild } from "./rebuild.ts";
import { benchRender } from "./render.ts";
import { benchScore } from "./score.ts";
import { benchServing } from "./serving.ts";
import { benchVerify } from "./verify.ts";

const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  normalise: benchNormalise,
  score: benchScore,
  build: benchBuild,
  render: benchRender,
  rebuild: benchRebuild,
  verify: benchVerify,
  serving: benchServing,
  pages: benchPages,
  evaluate: benchEvaluate,
  published: benchPublished,
  queries: benchQueries,
  load: benchLoad,
  engines: benchEngines,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BENCHES);
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${new Date().toISOString().slice(0, 10)}`,
);
console.log("| figure | ratio | goal | met | measured |\n|---|---|---|---|---|");
for (const name of names) {
  const bench = BENCHES[name];
  if (bench === undefined)
    throw new Error(`there is no benchmark called ${name}; the benchmarks are ${Object.keys(BENCHES).join(", ")}`);
  for (const { name: title, ratio, goal, met, detail } of await bench()) {
    console.log(`| ${title} | ${ratio.toFixed(2)} | ${goal} | ${met ? "yes" : "no"} | ${detail} |`);
  }
}
