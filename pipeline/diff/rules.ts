/**
 * Reads and writes the rules of a release: contracts, pledges and word lists. Each release contains its own rules, so
 * that later releases can be compared with it.
 */

import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type ReleasedPledge, releasedPledge } from "../../schemas/public/pledge.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { type ReleasedRubric, releasedRubric } from "../../schemas/public/rubric.ts";
import { canonicalJson } from "../files/canonical-json.ts";
import { readContracts } from "../rubrics/contracts.ts";
import { readPledges } from "../sources/pledges.ts";
import { vocabularyTexts } from "../vocabularies/compile.ts";

export interface Rules {
  readonly contracts: ReadonlyMap<string, ReleasedRubric>;
  readonly pledges: ReadonlyMap<string, ReleasedPledge>;
}

/**
 * Files that contain the rules of a release. They are not among the digested tables. Instead, `content.inputs` of the
 * receipt has the digest of each entry in them, such as `contract 2.0.0` or `pledge zenodo`.
 */
export const RULE_FILES = {
  contracts: "data/contracts.json",
  pledges: "data/pledges.json",
  vocabularies: "data/vocabularies.json",
} as const;

/** Returns the rules of this program version. */
export async function currentRules(): Promise<Rules> {
  return { contracts: await readContracts(), pledges: await readPledges() };
}

/**
 * Writes contracts, pledges and word lists below the tree of a release. The word lists are always those of this program
 * version.
 */
export async function writeRules(tree: string, { contracts, pledges }: Rules): Promise<void> {
  const write = (path: string, entries: ReadonlyMap<string, unknown>) =>
    writeFile(join(tree, path), `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`);
  await write(RULE_FILES.contracts, contracts);
  await write(RULE_FILES.pledges, pledges);
  await write(RULE_FILES.vocabularies, await vocabularyTexts());
}

/** The error if the rules of a release do not match the digests in its receipt. */
export class RulesDamaged extends Error {
  readonly code = "ERR_RULES_DAMAGED";
  constructor(folder: string, what: string) {
    super(`${folder} does not hold the ${what} that its receipt names: restore that release from a copy`);
    this.name = "RulesDamaged";
  }
}

/** The error if the rules of a release have a format that this program version cannot read. */
export class RulesUnreadable extends Error {
  readonly code = "ERR_RULES_UNREADABLE";
  constructor(folder: string, { tool }: Pick<Receipt, "tool">, options: ErrorOptions) {
    super(
      `cannot read the contracts and pledges of ${folder}: version ${tool.version} wrote them. Use that version or a later one; ` +
        "if this is one, the files were changed: restore that release from a copy",
      options,
    );
    this.name = "RulesUnreadable";
  }
}

/**
 * Returns the rules of a release from its files. An old release without such files has the rules of this program
 * version if the digests are equal; otherwise returns null.
 *
 * @throws RulesDamaged, RulesUnreadable
 */
export async function readReleaseRules(folder: string, receipt: Receipt): Promise<Rules | null> {
  const { content, rubrics, alsoContracts = [], sources } = receipt;
  const needed = [
    ...[...rubrics.map(({ contract }) => contract), ...alsoContracts].map((id) => `contract ${id}`),
    ...sources.map(({ source }) => `pledge ${source}`),
  ];
  const storedRules = await readRules(folder).catch((cause: unknown) => {
    if (cause instanceof z.ZodError || cause instanceof SyntaxError)
      throw new RulesUnreadable(folder, receipt, { cause });
    throw cause;
  });
  if (storedRules !== null) {
    for (const name of needed)
      if (digestIn(storedRules, name) !== content.inputs[name]) throw new RulesDamaged(folder, name);
    return storedRules;
  }
  const ours = await currentRules();
  return needed.every((name) => digestIn(ours, name) === content.inputs[name]) ? ours : null;
}

/**
 * Returns the digest of one contract or pledge, computed as in stage 6. `name` is its key in `content.inputs`, such as
 * `pledge zenodo`. Undefined if the rules do not contain the entry.
 */
function digestIn({ contracts, pledges }: Rules, name: string): string | undefined {
  const [kind, key = ""] = name.split(" ");
  const entry = kind === "pledge" ? pledges.get(key) : contracts.get(key);
  return entry === undefined ? undefined : `sha256:${hash("sha256", canonicalJson(entry))}`;
}

/**
 * Reads the rules from the files of a release; null if it has no such files. Accepts any contract ids, because they
 * differ between program versions.
 */
async function readRules(folder: string): Promise<Rules | null> {
  const contracts = await readJson(join(folder, RULE_FILES.contracts));
  const pledges = await readJson(join(folder, RULE_FILES.pledges));
  if (contracts === null || pledges === null) return null;
  return {
    contracts: new Map(
      Object.values(z.record(z.string(), releasedRubric).parse(contracts)).map((entry) => [entry.contract, entry]),
    ),
    pledges: new Map(Object.entries(z.record(z.string(), releasedPledge).parse(pledges))),
  };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
