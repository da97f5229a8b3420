/** The metrics of the server, as its own metrics port names them. */

import fastify from "fastify";
import { addMetrics } from "../../server/http/metrics.ts";
import { code, table } from "./markdown.ts";

/** The metrics of this project; those of Node and the process depend on the machine. */
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
