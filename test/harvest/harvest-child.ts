/** A process that harvests and may be killed: `node harvest-child.ts files|http <store> <source> <path or base>`. */

import { harvestFiles, harvestHttp } from "../../pipeline/1-harvest/index.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { testEffects } from "./bench-store.ts";

const [, , mode, root = "", name = "", target = ""] = process.argv;
const source = sourceNamed(name);
if (source === null) throw new Error(`no source ${name}`);
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
process.stdout.write(JSON.stringify(summary));
