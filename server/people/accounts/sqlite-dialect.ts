/** SQLite for kysely through Node's own engine; kysely's dialect expects the shape of another package. */

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type Dialect, type Driver, type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { SqliteConnections } from "./sqlite.ts";
import { PatientSqliteDriver } from "./sqlite-driver.ts";

export class NodeSqliteDialect implements Dialect {
  readonly #connections: SqliteConnections;

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
  }

  createDriver(): Driver {
    const { reader, writer } = this.#connections;
    return new PatientSqliteDriver({ reader: shapeOf(reader), writer: shapeOf(writer) });
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new ManyConnectionsAdapter();
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

/** Kysely would let one query in at a time; the driver lets writers wait and readers pass. */
class ManyConnectionsAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function shapeOf(database: DatabaseSync) {
  return {
    get isTransaction() {
      return database.isTransaction;
    },
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
