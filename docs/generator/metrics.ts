/** The section about the metrics of the server, with the names and texts that its metrics port has. */

import fastify from "fastify";
import { addMetrics } from "../../server/http/metrics.ts";
import { code, table } from "./markdown.ts";

/**
 * Writes a table of the metrics of this project. The metrics of Node and the process are left out, because they depend
 * on the machine.
 */
export async function metrics(): Promise<string> {
  const app = fastify();
  const { text } = addMetrics(app, { digest: null }, { isStale: false }, null);
  const lines = (await text()).split("\n");
  await app.close();
  const rows = lines.flatMap((line) => {
    const [, name = "", help = ""] = /^# HELP (share_\w+) (.*)$/.exec(line) ?? [];
    const [, type = ""] = lines.map((each) => new RegExp(`^# TYPE ${name} (\\w+)$`).exec(each)).find(Boolean) ?? [];
    return name === "" ? [] : [[code(name), type, help]];
  });
  return table(["metric", "type", "meaning"], rows);
}
