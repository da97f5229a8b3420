/** A process that tests start and kill: it harvests with the options in its first argument (JSON), and prints the summary. */

import { z } from "zod";
import { harvestFiles, harvestHttp } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { testEffects } from "./bench-store.ts";

const options = z.strictObject({
  mode: z.enum(["files", "http"]),
  root: z.string(),
  source: z.string(),
  /** The folder with the files if the mode is "files", and the base URL of the service if it is "http". */
  target: z.string(),
});

const { mode, root, source: name, target } = options.parse(JSON.parse(process.argv[2] ?? ""));
const source = sourceNamed(name);
if (source === null) throw new Error(`there is no source ${name}`);
const store = openStore(root);
const summary =
  mode === "files"
    ? await harvestFiles(store, source, { paths: [target], retrievedAt: null, limit: null }, testEffects())
    : await harvestHttp(
        store,
        source,
        { since: null, limit: null, base: target, contact: null, allowPrivate: true },
        testEffects(),
      );
process.stdout.write(`${JSON.stringify(summary)}\n`);
