/** A pool of PostgreSQL connections on which nothing waits for ever. */

import { PostgresDialect } from "kysely";
import { Pool, types } from "pg";
import type { Effects } from "../../../pipeline/stage/effects.ts";

const CONNECTIONS = 10;
const CONNECT_MILLISECONDS = 5000;
/** What one statement may take on the server; a transaction left open by a lost client, too. */
const STATEMENT_MILLISECONDS = 10_000;
/** When even the server says nothing any more. */
const ANSWER_MILLISECONDS = 15_000;

/** The type of `count` and `sum`: our counts stay far below 2^53. */
const INT8 = types.builtins.INT8;

/** `answerMilliseconds`: how long an answer is waited for, whatever the server says. */
export function postgresDialect(
  url: string,
  log: Effects["log"],
  answerMilliseconds = ANSWER_MILLISECONDS,
): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    application_name: "share-release",
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    statement_timeout: STATEMENT_MILLISECONDS,
    idle_in_transaction_session_timeout: STATEMENT_MILLISECONDS,
    query_timeout: answerMilliseconds,
    types: { getTypeParser: (id, format) => (id === INT8 ? Number : types.getTypeParser(id, format)) },
  });
  // A connection that breaks is replaced by the next request. Unheard, the event would end the process: the pool hears it
  // of those that are idle, and we of those that are in use.
  const lost = (error: Error) => log({ level: "warn", event: "account-connection-lost", message: error.message });
  pool.on("connect", (client) => client.on("error", lost));
  pool.on("error", () => undefined);
  return new PostgresDialect({ pool });
}
