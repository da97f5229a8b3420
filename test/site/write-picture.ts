/**
 * Writes the picture of the README, which shows the page of one dataset of the demo. `make picture` passes the store and the
 * file.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { openStore } from "../../pipeline/store/store.ts";
import { serve } from "../server/test-store.ts";
import { openBrowser } from "./chromium.ts";

/** Id of the dataset whose page the README shows. */
const DATASET = "rfe033edf024c8af1f4201500";

const SIZE = { width: 1180, height: 740 };

const [store = "", file = ""] = process.argv.slice(2);
const server = await serve(openStore(store));
const browser = await openBrowser();
try {
  const context = await browser.newContext({ viewport: SIZE, colorScheme: "light", locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(`http://localhost:${server.port}/datasets/${DATASET}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await page.screenshot());
} finally {
  await browser.close();
  await server.close();
}
