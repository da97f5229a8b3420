/** The inputs of the release digest against the files that hold them: contracts and pledges, each by its own digest. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOf } from "../../pipeline/6-release/digest.ts";
import { canonicalJson } from "../../pipeline/files/canonical-json.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { RULE_FILES } from "../diff/rules.ts";
import type { Found } from "./finding.ts";

/** Inputs that are no entry of a file of the release. */
const OTHERS = ["asOf", "enrichments", "pages", "policy", "vocabularies", "withheld"] as const;

/** Every entry of the files is an input, and every input is an entry or known for what it is. */
export async function verifyInputs(folder: string, { content, policy }: Receipt, found: Found): Promise<void> {
  const held = new Map<string, string | undefined>();
  for (const name of OTHERS) if (name !== "policy" || policy !== undefined) held.set(name, content.inputs[name]);
  for (const [kind, path] of [
    ["contract", RULE_FILES.contracts],
    ["pledge", RULE_FILES.pledges],
  ] as const) {
    for (const [name, entry] of await entriesOf(join(folder, path))) {
      held.set(`${kind} ${name}`, digestIn(entry));
    }
  }
  for (const name of new Set([...held.keys(), ...Object.keys(content.inputs)])) {
    const [said, given] = [content.inputs[name], held.get(name)];
    if (said === undefined) found("input", `${name} is no input of the release digest`);
    else if (given === undefined) found("input", `no file of the release holds the ${name} that its digest is over`);
    else if (said !== given) found("input", `the ${name} of the release is ${given}, its digest is over ${said}`);
  }
}

/** None of a file that is missing or is no JSON: every input that it should hold is then found to be nowhere. */
async function entriesOf(path: string): Promise<[string, unknown][]> {
  try {
    return Object.entries(Object(JSON.parse(await readFile(path, "utf8"))));
  } catch {
    return [];
  }
}

/** What cannot be spelled, such as a fraction, is none that a digest is over. */
function digestIn(entry: unknown): string {
  try {
    return digestOf(canonicalJson(entry));
  } catch {
    return "without a digest";
  }
}
