/** SQLite for kysely through Node's own engine; kysely's dialect expects the shape of another package. */

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver } from "kysely";

export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    super({ database: shapeOf(database) });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new ImmediateDriver({ database: shapeOf(this.#database) });
  }
}

class ImmediateDriver extends SqliteDriver {
  /**
   * Takes the write lock at once. A transaction that began by reading would fail at its first write, without waiting,
   * if another process had written in between.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }
}

function shapeOf(database: DatabaseSync) {
  return {
    close: () => database.close(),
    prepare(sql: string) {
      const statement = database.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...parameters.map(bindable)),
        run: (parameters: readonly unknown[]) => statement.run(...parameters.map(bindable)),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...parameters.map(bindable)),
      };
    },
  };
}

/** Text, numbers and null are all our tables hold. */
function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  throw new TypeError(`SQLite cannot be given a ${typeof value}`);
}
