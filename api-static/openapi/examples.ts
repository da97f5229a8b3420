/** An answer of each address: taken from a release of the bundled corpus, lists cut after two rows. */

import { z } from "zod";
import { datasetBadge, repositoryBadge, researcherBadge } from "../badge.ts";
import examples from "./examples.json" with { type: "json" };

const BADGES: Readonly<Record<string, string>> = {
  "dataset-badge": datasetBadge(80),
  "repository-badge": repositoryBadge(54.23),
  "researcher-badge": researcherBadge(25, "developing"),
};

const { json, csv } = z
  .object({ json: z.record(z.string(), z.json()), csv: z.record(z.string(), z.array(z.string())) })
  .parse(examples);

/** The example of a route, by its name; that of its body by its name and `body`. */
export function exampleOf(name: string): unknown {
  const example = BADGES[name] ?? json[name];
  if (example === undefined) throw new Error(`there is no example of ${name}`);
  return example;
}

/** A list as CSV. */
export function exampleCsv(name: string): string {
  const lines = csv[name];
  if (lines === undefined) throw new Error(`there is no CSV example of ${name}`);
  return lines.map((line) => `${line}\r\n`).join("");
}
