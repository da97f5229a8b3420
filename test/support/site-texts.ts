/**
 * Finds the English texts that the translated views look up as keys. Reads them from the code, so every state of a view counts.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAst } from "vitest/node";
import { DATASET_TIERS } from "../../api-static/pages/numbers.ts";
import { reasonsNotJudged } from "../../api-static/pages/record.ts";
import { publicContract } from "../../pipeline/rubrics/contracts.ts";
import { readPledges } from "../../pipeline/sources/pledges.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import { buildProblem, type ProblemType } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { DATASETS_CSV } from "../../schemas/public/site/datasets-csv.ts";
import { GUIDES } from "../../schemas/public/site/guides.ts";
import { SUGGESTION_GROUPS } from "../../schemas/public/site/queries.ts";
import { scriptTexts } from "../../web/components/scripts.ts";
import { SIGNAL_EXAMPLES } from "../../web/components/signal-examples.ts";
import {
  ACCESS_WORDS,
  BASIS_WORDS,
  BUCKET_NAMES,
  EFFORT_WORDS,
  JOB_WORDS,
  STATE_WORDS,
} from "../../web/components/state-words.ts";
import { TERMS } from "../../web/components/terms.ts";
import { listKeys } from "../../web/languages/markup.ts";
import { hasWords, joinStrings } from "../../web/languages/translate.ts";

const ROOT = join(import.meta.dirname, "../..");

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A declaration at the top level of a file. */
interface Declaration {
  readonly file: string;
  readonly node: Node;
}

interface Module {
  readonly own: ReadonlyMap<string, Node>;
  readonly imported: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
}

const MODULES = new Map<string, Module>();

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

function nodesOf(node: Node, type: string): Node[] {
  return [...(node.type === type ? [node] : []), ...childrenOf(node).flatMap((child) => nodesOf(child, type))];
}

const at = (node: Node, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isNode(value) ? value[name] : undefined), node);

function read(file: string): Module {
  const known = MODULES.get(file);
  if (known !== undefined) return known;
  const program = parseAst(readFileSync(join(ROOT, file), "utf8"), { lang: "ts" }) as unknown as { body: Node[] };
  const own = new Map<string, Node>();
  const imported = new Map<string, { file: string; name: string }>();
  for (const statement of program.body) {
    const declared = isNode(statement.declaration) ? statement.declaration : statement;
    if (declared.type === "ExpressionStatement") own.set(`statement ${own.size}`, declared);
    if (declared.type === "FunctionDeclaration") own.set(String(at(declared, "id", "name")), declared);
    if (declared.type === "VariableDeclaration") {
      for (const each of declared.declarations as Node[])
        for (const name of nodesOf(each.id as Node, "Identifier")) own.set(String(name.name), each);
    }
    if (statement.type !== "ImportDeclaration" || statement.importKind === "type") continue;
    const source = String(at(statement, "source", "value"));
    if (!source.startsWith(".")) continue;
    for (const each of statement.specifiers as Node[])
      imported.set(String(at(each, "local", "name")), {
        file: join(dirname(file), source),
        name: String(at(each, "imported", "name")),
      });
  }
  const module = { own, imported };
  MODULES.set(file, module);
  return module;
}

/** Returns the declarations in files of `web/` that the given declarations use, directly or indirectly. */
function reachable(roots: readonly (readonly [file: string, name: string])[]): Declaration[] {
  const found = new Map<Node, Declaration>();
  const visit = (file: string, name: string) => {
    const { own, imported } = read(file);
    const node = own.get(name);
    if (node === undefined) {
      const from = imported.get(name);
      if (from?.file.startsWith("web/")) visit(from.file, from.name);
      return;
    }
    if (found.has(node)) return;
    found.set(node, { file, node });
    for (const each of nodesOf(node, "Identifier")) visit(file, String(each.name));
  };
  for (const [file, name] of roots) {
    if (!read(file).own.has(name)) throw new Error(`${file} does not declare ${name}`);
    visit(file, name);
  }
  return [...found.values()];
}

const cooked = (quasi: unknown) =>
  (at(quasi as Node, "quasis") as Node[]).map((each) => String((each.value as { cooked: string }).cooked));

/** Returns the strings that an expression can be. A name stands for the string of its constant. */
function literals(node: Node | undefined, file: string): string[] {
  if (node === undefined) return [];
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : [];
  if (node.type === "ConditionalExpression")
    return [...literals(node.consequent as Node, file), ...literals(node.alternate as Node, file)];
  if (node.type === "LogicalExpression")
    return [...literals(node.left as Node, file), ...literals(node.right as Node, file)];
  if (node.type !== "Identifier") return [];
  const { own, imported } = read(file);
  const from = imported.get(String(node.name));
  const [place, constant] =
    from === undefined ? [file, own.get(String(node.name))] : [from.file, read(from.file).own.get(from.name)];
  const init = constant === undefined ? undefined : (constant.init as Node | undefined);
  return init?.type === "Literal" ? literals(init, place) : [];
}

/** Returns the keys of the texts that a declaration looks up. */
function keysIn({ node, file }: Declaration): string[] {
  const keys: string[] = [];
  for (const each of nodesOf(node, "TaggedTemplateExpression")) {
    const tag = at(each, "tag", "name");
    if (tag === "html") keys.push(...listKeys(cooked(each.quasi)));
    if (tag === "t") keys.push(joinStrings(cooked(each.quasi)));
  }
  for (const each of nodesOf(node, "CallExpression")) {
    const callee = at(each, "callee", "name");
    const [first, second, third] = each.arguments as Node[];
    if (callee === "t" || callee === "english") keys.push(...literals(first, file).filter(hasWords));
    if (callee === "plural" && literals(second, file).length > 0)
      keys.push(`${literals(second, file)[0]}|${literals(third, file)[0]}`);
    if (callee === "countText") {
      const [one] = literals(second, file);
      const many = third === undefined ? `${one}s` : literals(third, file)[0];
      keys.push(`{0} ${one}|{0} ${many}`);
    }
  }
  return keys;
}

/** Returns the keys of the texts that a whole file looks up. */
function keysOfFile(file: string): string[] {
  return [...read(file).own.values()].flatMap((node) => keysIn({ file, node }));
}

/** The functions that make the translated documents, each with its file. */
const ROOTS = [
  ["web/views/home.ts", "homeView"],
  ["web/views/dataset.ts", "datasetView"],
  ["web/views/dataset.ts", "leftView"],
  ["web/views/check.ts", "checkView"],
  ["web/views/check.ts", "jobView"],
  ["web/views/check.ts", "draftView"],
  ["web/views/draft-score.ts", "repairedFile"],
  ["web/views/researchers.ts", "researcherView"],
  ["web/views/signals.ts", "signalsView"],
  ["web/views/signals.ts", "signalView"],
  ["web/views/help.ts", "helpView"],
  ["web/components/document.ts", "siteDocument"],
  ["web/components/scopes.ts", "coveredDatasets"],
] as const;

/** Files outside of web/ whose texts the translated documents show. */
const FILES = ["score/check-worker.ts", "server/site/checks.ts", "server/site/find.ts", "server/read/page-by-query.ts"];

/** Types of problems whose titles the page of a check shows. */
const PROBLEMS: readonly ProblemType[] = [
  ...(["not-in-source", "unsupported-source", "source-unreachable", "source-too-slow"] as const),
  ...(["too-many-evaluations", "overloaded", "unavailable", "internal"] as const),
  ...(["invalid-body", "invalid-parameter"] as const),
];

/** Returns the texts of tables: contracts, pledges, facts, examples, and words. */
function tableTexts(): string[] {
  const contracts = PUBLIC_VERSIONS.map(publicContract);
  const pledges = [...readPledges().values()].flatMap((pledge) =>
    contracts.flatMap(({ contract }) => Object.values(pledge.contracts[contract] ?? {})),
  );
  return [
    ...contracts.flatMap(({ title, summary, buckets, signals }) => [
      ...[title, summary],
      ...buckets.flatMap(({ name, question, description }) => [name, question, description]),
      ...signals.flatMap(({ name, question, rationale, advice }) => [name, question, rationale, advice]),
    ]),
    ...pledges.map((pledged) => (pledged.supported ? pledged.advice : pledged.why)),
    ...EVIDENCE.map(({ fact }) => fact),
    ...Object.values(SIGNAL_EXAMPLES).flatMap(({ passes, fails, misses }) => [passes.words, fails.words, misses]),
    ...Object.values(TERMS).flatMap(({ name, meaning }) => [name, meaning]),
    ...Object.values(DATASETS_CSV).map(({ meaning }) => meaning),
    ...Object.values(GUIDES).flatMap(({ title, about }) => [title, about]),
    ...Object.values(STATE_WORDS).flatMap(({ word, meaning }) => [word, meaning]),
    ...[JOB_WORDS, EFFORT_WORDS, BUCKET_NAMES, BASIS_WORDS, ACCESS_WORDS].flatMap((words) => Object.values(words)),
    ...DATASET_TIERS.map(({ name }) => name),
    ...PROBLEMS.map((type) => buildProblem(type, "", "/").title),
    ...SUGGESTION_GROUPS,
    ...reasonsNotJudged(),
  ];
}

/** Returns all texts that the translated documents can look up. */
export function listTexts(): ReadonlySet<string> {
  const found = [...reachable(ROOTS).flatMap(keysIn), ...FILES.flatMap(keysOfFile), ...scriptTexts(), ...tableTexts()];
  return new Set(found.filter(hasWords));
}
