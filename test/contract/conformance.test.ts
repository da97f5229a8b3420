/** Checks every statement of the interface against listening servers, and writes `coverage/conformance.md`. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../api-static/routes/index.ts";
import { DOCUMENT } from "../openapi/validator.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { POSTGRES_PROGRAMS } from "../support/postgres.ts";
import { findFaults, STATEMENTS, STORED_STATEMENTS, SUCCEEDED } from "./conformance/index.ts";
import type { Statement } from "./conformance/statement.ts";
import { World } from "./world.ts";

/** Maximum length of a path in the report. Longer paths are cut, because the text of the statement says what is long. */
const MAX_PATH_LENGTH = 120;

/** Returns the report as Markdown, in which the statements in `failed` are marked. Statements of interface.md come first. */
function conformancePage(failed: ReadonlySet<Statement>): string {
  const chapters = PAPERS.flatMap(({ name, title, about }) => {
    const statements = STATEMENTS.filter(({ clause }) => findPaper(clause) === name);
    const clauses = Map.groupBy(statements, ({ clause }) => clause);
    return [
      `## ${title}`,
      formatFigure(statements, failed),
      about,
      ...[...clauses].map(([clause, under]) =>
        [
          `### ${clause.slice(name.length + 2)}`,
          "",
          ...under.map((statement) => formatLine(statement, failed.has(statement))),
        ].join("\n"),
      ),
    ];
  });
  const total = [`**In all: ${figure(STATEMENTS.length - failed.size).replaceAll("**", "")}**`];
  return `${[HEAD, ...total, ...chapters].join("\n\n")}\n`;
}

/** The documents from which statements come. If two documents differ, the earlier one in this list counts. */
const PAPERS = [
  {
    name: "interface.md",
    title: "By interface.md",
    about:
      "The contract. `interface.md` itself states the requests and their responses. If it does not show an error response, the line says that `decisions.md` defines it.",
  },
  {
    name: "decisions.md",
    title: "By decisions.md, if interface.md does not decide",
    about:
      '`interface.md` calls these things "not shown", or does not mention them. This project decided them: another service may conform to `interface.md` and respond differently.',
  },
  {
    name: "conventions",
    title: "By convention, if neither document decides",
    about: "The conventions of the field lead a client to expect these responses.",
  },
] as const;

/** Matches the error responses in the table of interface.md, which shows no others. */
const SHOWN =
  /^\d{3} (?:unsupported-rubric|dataset-not-found|researcher-not-found|(?:rubric|history|attribution)-not-published|unsupported-source|too-many-registrations)/;
/** Matches two further errors of that table: an invalid `sortBy` or `countryCode` of an institution or country list. */
const SHOWN_PARAMETERS = /^400 invalid-parameter, naming (?:sortBy|countryCode)$/;

/** True if decisions.md defines the error response of a statement, because interface.md does not show this error. */
function isRejectedByDecision({ clause, path, expects }: Statement): boolean {
  const rejection = expects.find(({ text }) => /^\d{3} [a-z]+(?:-[a-z]+)+/.test(text))?.text;
  if (rejection === undefined || !clause.startsWith("interface.md")) return false;
  const shown =
    SHOWN.test(rejection) || (/^\/(?:institutions|geography)/.test(path) && SHOWN_PARAMETERS.test(rejection));
  return !shown;
}

/**
 * Finds the document that a clause belongs to.
 * @throws Error if the clause belongs to none of the documents
 */
function findPaper(clause: string): string {
  const paper = PAPERS.find(({ name }) => clause.startsWith(`${name}, `));
  if (paper === undefined)
    throw new Error(
      `the clause "${clause}" must begin with interface.md, decisions.md or conventions, and then a comma`,
    );
  return paper.name;
}

/** Returns a sentence with the number of statements, and the number and percentage of those that hold. */
function formatFigure(statements: readonly Statement[], failed: ReadonlySet<Statement>): string {
  const held = statements.filter((statement) => !failed.has(statement)).length;
  return `**${statements.length} statements, ${held} hold (${formatPercent(held, statements.length)} %).**`;
}

function figure(held: number): string {
  return `**${STATEMENTS.length} statements, ${held} hold (${formatPercent(held, STATEMENTS.length)} %).**`;
}

function formatPercent(part: number, whole: number): string {
  return ((100 * part) / whole).toFixed(1);
}

const HEAD = [
  "# Conformance",
  "",
  "One statement a line, from `interface.md` or, if that document does not decide, from `decisions.md`. Each line shows the",
  "request and the expected response. The test sends each request to a listening server over a real release; the releases that",
  "lack something were built without it. `test/contract/conformance/` holds the statements. `conformance.test.ts` writes this",
  "report.",
].join("\n");

function formatLine(statement: Statement, failed: boolean): string {
  const { says, of, path, question, as, expects } = statement;
  const target = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  const release = of === "full" ? "" : ` (release: ${of === "none" ? "none yet" : of})`;
  const headers = Object.entries(question.headers ?? {}).map(([name, value]) => `, ${name}: ${value.slice(0, 40)}`);
  const who = as === undefined ? "" : ", signed in";
  const asked = `\`${question.method ?? "GET"} ${target}${headers.join("")}\`${who}`;
  const wanted = expects.map(({ text }) => text).join("; ");
  return `- ${failed ? "**does not hold:** " : ""}${escaped(says)}${release}: ${asked} → ${escaped(wanted)}${isRejectedByDecision(statement) ? REJECTED_BY_DECISION : ""}`;
}

const REJECTED_BY_DECISION = " (how it is rejected: decisions.md)";

/** Escapes the characters that have a meaning in Markdown. */
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

describe.each([...Map.groupBy(STATEMENTS, ({ clause }) => clause)])(
  "the API does what %s says",
  (_clause, statements) => {
    test.each(statements)("$path responds as the statement says (server: $of): $says", async (statement) => {
      failed.add(statement);
      expect(await findFaults(statement, world())).toEqual([]);
      failed.delete(statement);
    });
  },
);

test("the statements include a successful response of every operation, in the form that the OpenAPI document describes", () => {
  const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
  const names = ROUTES.filter(({ path, method }) => DOCUMENT.paths[path]?.[method] !== undefined).map(
    ({ name }) => name,
  );
  expect(names).toHaveLength(operations.length);
  expect(names.filter((name) => !SUCCEEDED.has(name))).toEqual([]);
});

describe.skipIf(POSTGRES_PROGRAMS === null)("statements about stored data, with accounts in PostgreSQL", () => {
  test.each(STORED_STATEMENTS)(
    "$path responds as the statement says with accounts in PostgreSQL ($clause): $says",
    async (statement) => {
      expect(await findFaults({ ...statement, of: "full, with PostgreSQL" }, world())).toEqual([]);
    },
  );
});
