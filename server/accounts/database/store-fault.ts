/** Errors which say that the account store is away, full or locked, rather than that something is wrong with us. */

/** Primary codes of SQLite: busy, locked, no memory, read-only, interrupted, a fault of the disk, a full disk, cannot open. */
const SQLITE = [5, 6, 7, 8, 9, 10, 13, 14];

/** Classes of SQLSTATE: connection, resources, operator intervention, system error (PostgreSQL, Appendix A). */
const POSTGRES = /^(?:08|53|57|58)/;
/** Read-only, deadlock, serialization, a lock that was not to be had. */
const POSTGRES_CODES = ["25006", "40001", "40P01", "55P03"];

/** Of the connection to PostgreSQL. */
const NETWORK = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
];

/** Of a connection over a Unix socket: it is gone, or may not be used. Files have the same codes. */
const SOCKET = ["ENOENT", "EACCES"];

/** What the driver says without a code. */
const DRIVER =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

export function isStoreFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return SQLITE.includes(Number(error.errcode) % 256);
  const code = "code" in error ? String(error.code) : "";
  if (SOCKET.includes(code)) return "syscall" in error && error.syscall === "connect";
  if (NETWORK.includes(code)) return "syscall" in error || "errors" in error;
  return (isSqlState(error) && (POSTGRES.test(code) || POSTGRES_CODES.includes(code))) || DRIVER.test(error.message);
}

/** An error that a PostgreSQL has sent has a severity. */
function isSqlState(error: Error): boolean {
  return "severity" in error;
}

/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const SQLITE_UNIQUE = [1555, 2067];

/** unique_violation (PostgreSQL, Appendix A). */
const POSTGRES_UNIQUE = "23505";

/** Errors which say that a value that must be one of its kind is there already. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ("errcode" in error && SQLITE_UNIQUE.includes(Number(error.errcode))) ||
    ("code" in error && error.code === POSTGRES_UNIQUE)
  );
}
