/** Advice where the disk is full, read-only or closed to us: said behind the system's own words. */

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC:
    "the disk is full: make room (`share-release prune --keep 1` removes old releases and what failed builds left), and run the same command again; what was finished is kept",
  EDQUOT: "the quota is used up: make room, and run the same command again; what was finished is kept",
  EFBIG: "files may not grow any further here: raise the limit (`ulimit -f`), and run the same command again",
  EROFS: "the file system is read-only: mount it for writing, or run this where the store can be written",
  EACCES: "this user may not do that: run it as the one who owns the store (see `share-release doctor`)",
  EPERM: "this user may not do that: run it as the one who owns the store (see `share-release doctor`)",
  EMFILE: "too many files are open: raise the limit (`ulimit -n`)",
};

/** How the engine says the same. */
const IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/no space left on device/i, "ENOSPC"],
  [/disk quota exceeded/i, "EDQUOT"],
  [/file too large/i, "EFBIG"],
  [/read-only file system/i, "EROFS"],
];

/** Advice for an error of the file system, wherever in the chain of causes it is; null for any other. */
export function storageAdvice(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = "code" in at && typeof at.code === "string" ? at.code : "";
    const message = at.message;
    const named = ADVICE[code] ?? ADVICE[IN_WORDS.find(([words]) => words.test(message))?.[1] ?? ""];
    if (named !== undefined) return named;
  }
  return null;
}
