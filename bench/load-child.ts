/**
 * Serves a store in a separate process, with the quotas of a real server but many new API keys, and prints its port.
 */

import { openStore } from "../pipeline/store/store.ts";
import { createServer } from "../server/index.ts";
import { silent } from "./measure.ts";

const [root = ""] = process.argv.slice(2);
const quotas = { registration: { requests: 1000, seconds: 60 } };
const { app } = await createServer(openStore(root), { logger: false, newAccounts: true, quotas }, silent);
process.stdout.write(`${new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port}\n`);
