/** Errors which say that a value that must be one of its kind is there already. */

/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const SQLITE_UNIQUE = [1555, 2067];

/** unique_violation (PostgreSQL, Appendix A). */
const POSTGRES = "23505";

export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ("errcode" in error && SQLITE_UNIQUE.includes(Number(error.errcode))) ||
    ("code" in error && error.code === POSTGRES)
  );
}
