/** Checks every statement of the interface against listening servers, and writes `coverage/conformance.md`. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../api-static/routes/index.ts";
import { DOCUMENT } from "../openapi/validator.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { POSTGRES_PROGRAMS } from "../support/postgres.ts";
import { faultsOf, STATEMENTS, STORED_STATEMENTS, SUCCEEDED } from "./conformance/index.ts";
import type { Statement } from "./conformance/statement.ts";
import { World } from "./world.ts";

/** Longer addresses are cut: what is long about them is said in words. */
const LONGEST_PATH = 120;

/** The page as Markdown; `failed` are marked in it. The interface first, then what fills its silences. */
function conformancePage(failed: ReadonlySet<Statement>): string {
  const chapters = PAPERS.flatMap(({ name, title, about }) => {
    const statements = STATEMENTS.filter(({ clause }) => paperOf(clause) === name);
    const clauses = Map.groupBy(statements, ({ clause }) => clause);
    return [
      `## ${title}`,
      figureOf(statements, failed),
      about,
      ...[...clauses].map(([clause, under]) =>
        [
          `### ${clause.slice(name.length + 2)}`,
          "",
          ...under.map((statement) => lineOf(statement, failed.has(statement))),
        ].join("\n"),
      ),
    ];
  });
  const total = [`**In all: ${figure(STATEMENTS.length - failed.size).replaceAll("**", "")}**`];
  return `${[HEAD, ...total, ...chapters].join("\n\n")}\n`;
}

/** What statements are graded against, in order of rank. */
const PAPERS = [
  {
    name: "interface.md",
    title: "By interface.md",
    about:
      "The contract. What may be asked, and what is answered, is said by `interface.md` itself; where it does not show how something is refused, the line says that `decisions.md` does.",
  },
  {
    name: "decisions.md",
    title: "Where interface.md is silent: by decisions.md",
    about:
      '`interface.md` calls these things "not shown", or says nothing of them. What is asked here is this project\'s own decision: another service may conform to `interface.md` and answer otherwise.',
  },
  {
    name: "conventions",
    title: "Where both are silent: by convention",
    about: "What the conventions of the field lead a client to expect.",
  },
] as const;

/** Refusals of interface.md's own table; how all else is refused, it does not show. */
const SHOWN =
  /^\d{3} (?:unsupported-rubric|dataset-not-found|researcher-not-found|(?:rubric|history|attribution)-not-published|unsupported-source|too-many-registrations)/;
/** Addresses whose sort and country code are in that table too. */
const SHOWN_PARAMETERS = /^400 invalid-parameter, naming (?:sortBy|countryCode)$/;

/** Whether a statement of the interface is refused in a way that decisions.md adds. */
function isRefusedByDecision({ clause, path, expects }: Statement): boolean {
  const refusal = expects.find(({ text }) => /^\d{3} [a-z]+(?:-[a-z]+)+/.test(text))?.text;
  if (refusal === undefined || !clause.startsWith("interface.md")) return false;
  const shown = SHOWN.test(refusal) || (/^\/(?:institutions|geography)/.test(path) && SHOWN_PARAMETERS.test(refusal));
  return !shown;
}

/** @throws Error for a clause of none */
function paperOf(clause: string): string {
  const paper = PAPERS.find(({ name }) => clause.startsWith(`${name}, `));
  if (paper === undefined)
    throw new Error(`"${clause}" is a clause of neither interface.md nor decisions.md, and no convention`);
  return paper.name;
}

/** How many of some statements hold. */
function figureOf(statements: readonly Statement[], failed: ReadonlySet<Statement>): string {
  const held = statements.filter((statement) => !failed.has(statement)).length;
  return `**${statements.length} statements, ${held} hold (${percentOf(held, statements.length)} %).**`;
}

function figure(held: number): string {
  return `**${STATEMENTS.length} statements, ${held} hold (${percentOf(held, STATEMENTS.length)} %).**`;
}

function percentOf(part: number, whole: number): string {
  return ((100 * part) / whole).toFixed(1);
}

const HEAD = [
  "# Conformance",
  "",
  "What `interface.md` says of the API, and what `decisions.md` says where `interface.md` is silent, one statement a line:",
  "what is asked, and what the answer must be. Each is asked of a listening server over a real release; the releases that",
  "lack something were built without it. `test/contract/conformance/` holds the statements. `conformance.test.ts` writes this",
  "report.",
].join("\n");

function lineOf(statement: Statement, failed: boolean): string {
  const { says, of, path, question, as, expects } = statement;
  const target = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  const release = of === "full" ? "" : ` (release: ${of === "none" ? "none yet" : of})`;
  const headers = Object.entries(question.headers ?? {}).map(([name, value]) => `, ${name}: ${value.slice(0, 40)}`);
  const who = as === undefined ? "" : ", signed in";
  const asked = `\`${question.method ?? "GET"} ${target}${headers.join("")}\`${who}`;
  const wanted = expects.map(({ text }) => text).join("; ");
  return `- ${failed ? "**does not hold:** " : ""}${escaped(says)}${release}: ${asked} → ${escaped(wanted)}${isRefusedByDecision(statement) ? REFUSED_BY_DECISION : ""}`;
}

const REFUSED_BY_DECISION = " (how it is refused: decisions.md)";

/** What Markdown would read as more than text. */
function escaped(text: string): string {
  return text.replace(/[\\`*_<>[\]]/g, "\\$&").replace(/\p{Cc}/gu, " ");
}

const REPORT = join(REPOSITORY, "coverage/conformance.md");

const failed = new Set<Statement>();
let built: World | null = null;

function world(): World {
  if (built === null) throw new Error("the releases are not built yet");
  return built;
}

beforeAll(async () => {
  built = await World.make({ postgres: POSTGRES_PROGRAMS !== null });
}, 300_000);

afterAll(async () => {
  await built?.end();
  await mkdir(join(REPOSITORY, "coverage"), { recursive: true });
  await writeFile(REPORT, conformancePage(failed));
});

describe.each([...Map.groupBy(STATEMENTS, ({ clause }) => clause)])("%s", (_clause, statements) => {
  test.each(statements)("$says [$of] $path", async (statement) => {
    failed.add(statement);
    expect(await faultsOf(statement, world())).toEqual([]);
    failed.delete(statement);
  });
});

test("every operation of the OpenAPI document has answered with success, as it is described", () => {
  const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
  const names = ROUTES.filter(({ path, method }) => DOCUMENT.paths[path]?.[method] !== undefined).map(
    ({ name }) => name,
  );
  expect(names).toHaveLength(operations.length);
  expect(names.filter((name) => !SUCCEEDED.has(name))).toEqual([]);
});

describe.skipIf(POSTGRES_PROGRAMS === null)("what is stored, with accounts in PostgreSQL", () => {
  test.each(STORED_STATEMENTS)("$clause: $says $path", async (statement) => {
    expect(await faultsOf({ ...statement, of: "full, with PostgreSQL" }, world())).toEqual([]);
  });
});
