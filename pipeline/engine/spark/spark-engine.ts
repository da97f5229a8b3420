/** Spark as the engine of a stage: tables of a database of its own, in the folder of the stage. */

import { channel } from "node:diagnostics_channel";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "../../../schemas/public/tables.ts";
import type { Cell, Engine, GivenRow, GivenTable } from "../engine.ts";
import { CheckError, SqlError } from "../errors.ts";
import { partName } from "../parts.ts";
import { fillSql, quote, readSql, sharedType, statementsOf } from "../sql-text.ts";
import type { SparkSession } from "./session.ts";

/** Tells whoever listens (the tests do) which of our SQL files ran, as DuckDB's does. */
const ran = channel("share-release:sql-file");

const MACROS = new URL("./macros.sql", import.meta.url);

/** Rows of a failing check that are told. */
const SHOWN = 20;

export class SparkEngine implements Engine {
  readonly #session: SparkSession;
  readonly #name: string;
  readonly #folder: string;
  readonly #onShare: (share: number) => void;

  private constructor(session: SparkSession, name: string, folder: string, onShare: (share: number) => void) {
    this.#session = session;
    this.#name = name;
    this.#folder = folder;
    this.#onShare = onShare;
  }

  /** One at a time: the database is the session's current one. `onShare` as Runtime.open has it. */
  static async open(
    session: SparkSession,
    name: string,
    folder: string,
    onShare: (share: number) => void = () => undefined,
  ): Promise<SparkEngine> {
    const engine = new SparkEngine(session, name, folder, onShare);
    await engine.run(`create database ${name} location ${quote(folder)}`);
    await engine.run(`use ${name}`);
    await engine.runFile(MACROS);
    return engine;
  }

  async run(sql: string): Promise<void> {
    await this.#ask(sql);
  }

  async runFile(file: URL, variables: Readonly<Record<string, string | number>> = {}): Promise<void> {
    const statements = statementsOf(await readSql(file, variables));
    for (const [before, statement] of statements.entries()) {
      const share = (part: number) => this.#onShare((before + part) / statements.length);
      await this.#told(file, this.#ask(statement, share));
    }
    ran.publish(file);
  }

  async check(file: URL): Promise<void> {
    for (const statement of statementsOf(await readSql(file))) {
      const rows = await this.#told(file, this.rows(`select * from (${statement}) as broken limit ${SHOWN}`));
      if (rows.length > 0) throw new CheckError(file, rows);
    }
    ran.publish(file);
  }

  async input({ name, columns }: Table, folder: string): Promise<void> {
    const typed = Object.entries(columns).map(([column, type]) => `"${column}" ${sharedType(type)}`);
    await this.run(`create table ${name} (${typed.join(", ")}) using parquet location ${quote(folder)}`);
  }

  /** Sorted by ranges of the key, a part each, in the order of their names. */
  async output(table: Table, folder: string): Promise<number> {
    const draft = `${folder}.spark`;
    const columns = Object.entries(table.columns).map(
      ([name, type]) => `cast("${name}" as ${sharedType(type)}) as "${name}"`,
    );
    const order = table.key.map((name) => `"${name}"`).join(", ");
    await this.run(
      `insert overwrite directory ${quote(draft)} using parquet options (compression 'zstd') select ${columns.join(", ")} from ${table.name} order by ${order}`,
    );
    await mkdir(folder, { recursive: true });
    const parts = (await readdir(draft)).filter((name) => /^part-.*\.parquet$/.test(name)).sort();
    for (const [number, part] of parts.entries()) await rename(join(draft, part), join(folder, partName(number)));
    await rm(draft, { recursive: true });
    return this.#count(table, folder);
  }

  async rows(sql: string): Promise<Record<string, Cell>[]> {
    return this.#ask(sql);
  }

  fill(table: GivenTable, rows: readonly GivenRow[]): Promise<void> {
    return this.run(fillSql(table, rows));
  }

  /** Whoever closes an engine whose statement failed, or whose Spark is gone, is told of that first, and of nothing here. */
  async close(): Promise<void> {
    const dropped = async () => {
      await this.run("use default");
      await this.run(`drop database ${this.#name} cascade`);
    };
    await dropped().catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #ask(sql: string, onShare: (share: number) => void = this.#onShare): Promise<Record<string, Cell>[]> {
    return this.#session.ask(sql, ({ tasks, done }) => onShare(tasks === 0 ? 0 : done / tasks));
  }

  /** Of the files, not of the relation: that would be computed once more. */
  async #count(table: Table, folder: string): Promise<number> {
    const written = { ...table, name: "written_part" };
    await this.input(written, folder);
    const [row] = await this.rows("select count(*) as rows from written_part");
    await this.run("drop table written_part");
    return Number(row?.rows);
  }

  async #told<T>(file: URL, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      throw new SqlError(file, cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
}
