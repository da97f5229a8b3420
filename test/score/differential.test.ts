/**
 * Compares the scores, caps and ranges of generated evidence in SQL and in JavaScript. A mutation test then shows that this
 * comparison finds small changes in either.
 */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { besideTotal } from "../../api-static/pages/record.ts";
import { type Cell, type Database, openDuckDB } from "../../pipeline/engine/open.ts";
import { blankEvidence } from "../../pipeline/reading/normalised.ts";
import { columnName, POLICY, readContracts, scoringSql } from "../../pipeline/rubrics/contracts.ts";
import * as predicates from "../../pipeline/rubrics/predicates.ts";
import * as scoring from "../../pipeline/rubrics/score.ts";
import {
  EVIDENCE,
  EVIDENCE_NAMES,
  type Evidence,
  type EvidenceName,
  evidenceBit,
  evidenceErrors,
} from "../../schemas/public/evidence.ts";
import * as grammar from "../../schemas/public/predicate.ts";
import { SCORE_TABLES } from "../../schemas/public/tables.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { casesToRun, readTier } from "../tiers.ts";
import { anyPredicate, anyRow, PredicateBench } from "./random-predicates.ts";

const ROWS = { first: 20_000, all: 100_000, soak: 1_000_000 }[readTier(process.env.SHARE_TIER)];
const BATCH = 20_000;

/**
 * Values of generated evidence by type, in SQL: around every threshold of a contract, with null and 0 more often than others.
 */
const VALUES = {
  int: [
    "null",
    "null",
    "0",
    "0",
    "1",
    "1",
    "2",
    "3",
    "49",
    "50",
    "99",
    "100",
    "199",
    "200",
    "299",
    "300",
    "2147483647",
  ],
  bool: ["null", "true", "false"],
  text: ["null", "''", "'MIT'", "' '"],
} as const;

/** Invented sources that support different signals and never carry different columns. */
const SOURCES = Array.from({ length: 61 }, (_, source) => {
  const chosen = (salt: number, of: number) => ((source * 2_654_435_761 + salt * 40_503) >>> 7) % of;
  return {
    name: `s${source}`,
    supported:
      source === 0
        ? 2 ** 25 - 1
        : Array.from({ length: 25 }, (_, bit) => (chosen(bit, 5) > 0 === source % 10 < 9 ? 2 ** bit : 0)).reduce(
            (a, b) => a + b,
          ),
    neverCarries: source === 0 ? [] : EVIDENCE_NAMES.filter((_, i) => chosen(100 + i, 4) === 0),
  };
});

const contracts = [...(await readContracts()).values()];
const scored = contracts.map((contract) => ({ rubric: contract.contract as string, contract }));

/** Creates the table `evidence` with the generated rows `from` to `to`. A row depends only on its number. */
async function fill(db: Database, from: number, to: number): Promise<void> {
  const pick = (name: string, values: readonly string[]) =>
    `([${values.join(", ")}])[1 + (hash(i, '${name}') % ${values.length})::integer]`;
  const columns = EVIDENCE.map(({ name, type }) => `${pick(name, VALUES[type])} as ${name}`);
  const errors = EVIDENCE_NAMES.map(
    (name) => `case when hash(i, 'unreadable ${name}') % 23 = 0 then ${evidenceBit(name)} else 0 end`,
  );
  await db.run(`create or replace table evidence as
    select cast(i as varchar) as id, 's' || hash(i, 'source') % ${SOURCES.length} as source, ${columns.join(", ")},
      cast(${errors.join(" + ")} as bigint) as evidence_errors
    from range(${from}, ${to}) as numbers(i)`);
}

async function fillPledges(db: Database): Promise<void> {
  const masks = contracts.map(({ contract }) => `supported_${columnName(contract)} integer`);
  await db.run(`create table pledge (source varchar, never_carries bigint, ${masks.join(", ")})`);
  const values = SOURCES.map(({ name, supported, neverCarries }) => {
    const never = neverCarries.reduce((mask, column) => mask | evidenceBit(column), 0n);
    return `('${name}', ${never}, ${contracts.map(() => supported).join(", ")})`;
  });
  await db.run(`insert into pledge values ${values.join(", ")}`);
}

const COLUMNS = Object.keys(SCORE_TABLES.score.columns).filter((name) => name !== "id");
/**
 * SQL for the possible points (`CAP`) and the highest possible score (`POSSIBLE`), which the API returns beside a total
 * (docs/spec/interface.md).
 */
const CAP = "4 * bit_count(supported_mask)::integer";
const POSSIBLE = "total + 4 * bit_count(supported_mask & ~evaluable_mask)::integer";

interface Pair {
  readonly row: readonly Cell[];
  /** The scores of the row, one for each contract in order. */
  readonly scores: readonly Cell[][];
}

/** Returns the rows of `evidence`, each with the scores that the statement `sql` computes. */
async function pairsBy(db: Database, sql: string): Promise<Pair[]> {
  await db.run(`create or replace table generated_score as ${sql}`);
  const scores: Cell[][][] = [];
  for (const { rubric } of scored) {
    const columns = [...COLUMNS, CAP, POSSIBLE].join(", ");
    scores.push(await readRows(db, `select ${columns} from generated_score where rubric = '${rubric}' order by id`));
  }
  const evidence = await readRows(
    db,
    `select source, evidence_errors, ${EVIDENCE_NAMES.join(", ")} from evidence order by id`,
  );
  return evidence.map((row, i) => ({
    row,
    scores: scores.flatMap((each) => (each[i] === undefined ? [] : [each[i]])),
  }));
}

async function readRows(db: Database, sql: string): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for await (const batch of db.stream(sql)) rows.push(...batch);
  return rows;
}

const BY_NAME = new Map(SOURCES.map((source) => [source.name, source]));

/** Computes the scores of a row in JavaScript, as cells in the order of those of {@link pairsBy}. */
function computeScores([source, errors, ...values]: readonly Cell[], { scoreEvidence }: typeof scoring): unknown[][] {
  const known = BY_NAME.get(String(source));
  if (known === undefined) throw new Error(`unknown invented source ${source}`);
  const evidence = Object.fromEntries(EVIDENCE_NAMES.map((name, i) => [name, values[i]])) as Evidence;
  const record = {
    evidence,
    errors: new Set<EvidenceName>(evidenceErrors(BigInt(String(errors)))),
    neverCarries: known.neverCarries,
  };
  const each = scored.map((entry) => ({ ...entry, supported: known.supported }));
  return scoreEvidence(each, record, POLICY.leastEvaluable).map((score) => {
    const { cap, range } = besideTotal(score);
    return [...COLUMNS.map((name) => score[name as keyof typeof score]), cap, range?.most ?? null];
  });
}

test(`${ROWS.toLocaleString("en")} generated rows have the same scores in SQL and in JavaScript`, {
  timeout: 900_000,
}, async () => {
  const db = await openDuckDB({ threads: 2, memory: "1GB" });
  try {
    await fillPledges(db);
    let compared = 0;
    const statuses = new Set<unknown>();
    for (let from = 0; from < ROWS; from += BATCH) {
      await fill(db, from, from + BATCH);
      for (const { row, scores } of await pairsBy(db, scoringSql(scored, POLICY.leastEvaluable))) {
        const found = computeScores(row, scoring);
        if (!isDeepStrictEqual(found, scores)) expect({ row, found }).toEqual({ row, found: scores });
        compared += 1;
        for (const score of scores) statuses.add(score[COLUMNS.indexOf("status")]);
      }
    }
    expect(compared).toBe(ROWS);
    expect(statuses).toEqual(new Set(["scored", "insufficient_evidence"]));
  } finally {
    db.close();
  }
});

const FILES = {
  grammar: "schemas/public/predicate.ts",
  predicates: "pipeline/rubrics/predicates.ts",
  scoring: "pipeline/rubrics/score.ts",
  sql: "pipeline/rubrics/contracts.ts",
} as const;

interface Program {
  readonly grammar: typeof grammar;
  readonly predicates: typeof predicates;
  readonly scoring: typeof scoring;
  readonly scoringSql: typeof scoringSql;
}

const ORIGINAL: Program = { grammar, predicates, scoring, scoringSql };

/** Loads copies of `FILES` in which one text in one file is replaced. All other files are those of the program. */
async function changed(folder: string, file: keyof typeof FILES, from: string, to: string): Promise<Program> {
  const own: readonly string[] = Object.values(FILES);
  for (const path of own) {
    const text = await readFile(join(REPOSITORY, path), "utf8");
    if (path === FILES[file]) expect(text.split(from).length, `${path} has once: ${from}`).toBe(2);
    const edited = path === FILES[file] ? text.replace(from, to) : text;
    const absolute = edited.replaceAll(/ from "(\.[^"]+)"/g, (_, specifier: string) => {
      const target = normalize(join(dirname(path), specifier));
      return ` from "${pathToFileURL(join(own.includes(target) ? folder : REPOSITORY, target)).href}"`;
    });
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), absolute);
  }
  const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(join(folder, path)).href);
  return {
    grammar: await load(FILES.grammar),
    predicates: await load(FILES.predicates),
    scoring: await load(FILES.scoring),
    scoringSql: (await load(FILES.sql)).scoringSql,
  };
}

/** Mutations from mutants.json, each of which replaces one text in one of `FILES`. */
const MUTANTS = z
  .array(
    z.strictObject({
      name: z.string(),
      file: z.enum(["grammar", "predicates", "scoring", "sql"]),
      from: z.string(),
      to: z.string(),
    }),
  )
  .parse(JSON.parse(await readFile(join(import.meta.dirname, "mutants.json"), "utf8")));

describe("the comparison of SQL and JavaScript over generated rows", () => {
  let db: Database;
  let bench: PredicateBench;
  let folder = "";
  /** The values of the predicates in `texts` for each row, as DuckDB computes them from the texts. */
  const values: unknown[][] = [];
  /** Generated rows with the scores of the unchanged SQL. */
  const original: Pair[] = [];
  const texts = fc.sample(anyPredicate, { numRuns: 400, seed: 52 });
  const rows = fc.sample(anyRow, { numRuns: 60, seed: 52 });
  const extremes = {
    text: "2 * file_count >= keyword_count",
    row: { ...blankEvidence(), file_count: 2 ** 31 - 1, keyword_count: 1 },
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "share-mutants-"));
    db = await openDuckDB({ threads: 1, memory: "256MB" });
    await fillPledges(db);
    await fill(db, 0, 3000);
    original.push(...(await pairsBy(db, scoringSql(scored, POLICY.leastEvaluable))));
    bench = await PredicateBench.open();
    // DuckDB evaluates these texts directly. `extremes` is not among them, because only the SQL of a parsed predicate cannot overflow.
    await bench.fill(rows);
    values.push(...(await bench.computeValues(texts)));
    await bench.fill([...rows, extremes.row]);
  });
  afterAll(async () => {
    db.close();
    bench[Symbol.dispose]();
    await rm(folder, { recursive: true });
  });

  /** Returns true if the comparison finds that a program differs from the original, in SQL or in JavaScript. */
  async function isFound(program: Program): Promise<boolean> {
    return (await differsInPredicates(program)) || (await differsInScores(program));
  }

  async function differsInPredicates(program: Program): Promise<boolean> {
    const all = [...texts, extremes.text];
    const trees = all.map((text) => program.grammar.parsePredicate(text));
    const evaluated = [...rows, extremes.row].map((row) =>
      trees.map((tree) => program.predicates.evaluatePredicate(tree, row)),
    );
    const asSql = await bench.computeValues(trees.map((tree) => program.predicates.predicateSql(tree)));
    const ofTexts = evaluated.slice(0, rows.length).map((row) => row.slice(0, texts.length));
    return !isDeepStrictEqual(ofTexts, values) || !isDeepStrictEqual(evaluated, asSql);
  }

  async function differsInScores(program: Program): Promise<boolean> {
    if (original.some(({ row, scores }) => !isDeepStrictEqual(computeScores(row, program.scoring), scores)))
      return true;
    const sql = program.scoringSql(scored, POLICY.leastEvaluable);
    if (sql === scoringSql(scored, POLICY.leastEvaluable)) return false;
    return (await pairsBy(db, sql)).some(({ row, scores }) => !isDeepStrictEqual(computeScores(row, scoring), scores));
  }

  test("the comparison finds no difference in the program itself or in a copy with another comment", async () => {
    expect(await isFound(ORIGINAL)).toBe(false);
    const copy = await changed(join(folder, "copy"), "scoring", "/** A row of the table", "/** A line of the table");
    expect(await isFound(copy)).toBe(false);
  });

  test.each(casesToRun(MUTANTS, 6))("the test finds the mutation: $name ($file)", async ({ name, file, from, to }) => {
    const program = await changed(join(folder, name.replaceAll(/\W/g, "-")), file, from, to);
    expect(await isFound(program).catch(() => true)).toBe(true);
  });
});
