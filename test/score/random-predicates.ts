/** Generates random predicates and random rows of evidence, and computes the values of the predicates with DuckDB. */

import fc from "fast-check";
import { type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { blankEvidence } from "../../pipeline/reading/normalised.ts";
import { EVIDENCE, type Evidence, type EvidenceName, type EvidenceType } from "../../schemas/public/evidence.ts";
import { COMPARISONS } from "../../schemas/public/predicate.ts";
import { RECORD_TABLES } from "../../schemas/public/tables.ts";

/** Columns that random predicates use, by type. They are few, so that a predicate often uses the same one twice. */
const COLUMNS: Readonly<Record<EvidenceType, readonly EvidenceName[]>> = {
  int: ["file_count", "keyword_count", "linked_code_count"],
  bool: ["access_open", "embargo_active", "license_open"],
  text: ["license_text", "license_spdx"],
};

/** Generates texts of predicates that the grammar allows, also with unnecessary brackets and spaces. */
const { predicate } = fc.letrec<Record<"predicate" | "integer" | "text" | "test", string>>((tie) => {
  const bracketed = (text: fc.Arbitrary<string>) => text.map((inner) => `(${inner})`);
  const column = (type: EvidenceType) => fc.constantFrom(...COLUMNS[type]);
  const joined = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(" "));
  const coalesce = (type: "integer" | "text" | "predicate") =>
    fc.array(tie(type), { minLength: 1, maxLength: 3 }).map((values) => `coalesce(${values.join(", ")})`);
  const number = fc.constantFrom("0", "1", "2", "3", "100");
  const condition = fc.oneof(
    { maxDepth: 5 },
    column("bool"),
    fc.constantFrom("true", "false"),
    bracketed(tie("predicate")),
    coalesce("predicate"),
  );
  return {
    integer: fc.oneof(
      { maxDepth: 3 },
      column("int"),
      number,
      joined(number, fc.constant("*"), column("int")),
      joined(bracketed(column("int")), fc.constant("*"), number),
      bracketed(tie("integer")),
      coalesce("integer"),
    ),
    text: fc.oneof({ maxDepth: 3 }, column("text"), fc.constant("''"), bracketed(tie("text")), coalesce("text")),
    test: fc.oneof(
      { maxDepth: 4 },
      condition,
      joined(tie("integer"), fc.constantFrom(...COMPARISONS), tie("integer")),
      joined(tie("text"), fc.constantFrom("=", "<>"), tie("text")),
      joined(condition, fc.constantFrom("=", "<>"), condition),
    ),
    predicate: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      tie("test"),
      joined(fc.oneof(tie("test"), tie("integer"), tie("text")), fc.constantFrom("is null", "is not null")),
      joined(condition, fc.constantFrom("is true", "is not true", "is false", "is not  false")),
      joined(fc.constant("not"), tie("predicate")),
      joined(tie("predicate"), fc.constantFrom("and", "or", "\n and\t", "or  "), tie("predicate")),
    ),
  };
});

export const anyPredicate = predicate.filter((text) => text.length <= 1000);

const VALUES = {
  int: fc.constantFrom(null, 0, 1, 2, 3, 49, 50, 99, 100, 101, 1_000_000),
  bool: fc.constantFrom(null, true, false),
  text: fc.constantFrom(null, "", " ", "MIT", "''"),
} as const;
export const anyRow = fc.tuple(...EVIDENCE.map(({ type }) => VALUES[type])).map(
  (values): Evidence => ({
    ...blankEvidence(),
    ...Object.fromEntries(EVIDENCE.map(({ name }, i) => [name, values[i]])),
  }),
);

/** A DuckDB table of evidence on which predicates are evaluated. */
export class PredicateBench {
  readonly #db: Database;

  private constructor(db: Database) {
    this.#db = db;
  }

  static async open(): Promise<PredicateBench> {
    const db = await openDuckDB({ threads: 1, memory: "256MB" });
    await db.create(RECORD_TABLES.evidence);
    return new PredicateBench(db);
  }

  async fill(rows: readonly Evidence[]): Promise<void> {
    await this.#db.run("delete from evidence");
    const names = EVIDENCE.map(({ name }) => name);
    const sql = (value: Evidence[EvidenceName]) => (typeof value === "string" ? quote(value) : String(value));
    const values = rows.map((each, i) => `(${[`'${i}'`, ...names.map((name) => sql(each[name]))].join(", ")})`);
    await this.#db.run(`insert into evidence (id, ${names.join(", ")}) values ${values.join(", ")}`);
  }

  /** Returns the values of SQL conditions: a list for each row, in the order of the rows. */
  async computeValues(conditions: readonly string[]): Promise<unknown[][]> {
    const columns = conditions.map((sql, i) => `(${sql}) as c${i}`).join(", ");
    const found = await this.#db.rows(`select ${columns} from evidence order by cast(id as integer)`);
    return found.map((each) => conditions.map((_, i) => each[`c${i}`]));
  }

  async describeType(condition: string): Promise<unknown> {
    const [described] = await this.#db.rows(`describe select (${condition}) from evidence`);
    return described?.column_type;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
