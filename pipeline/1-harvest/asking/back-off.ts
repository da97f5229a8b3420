/** The time to wait before a request is tried again. */

/** The longest a service may make us wait. */
const LONGEST = 10 * 60 * 1000;

/** The longest wait of our own. */
const CAP = 60_000;

/** Full jitter (a uniform share of a doubling bound), so that many callers do not come back at once; never less than asked. */
export function backOff(attempt: number, random: number, retryAfter: number | null): number {
  const bound = Math.min(CAP, 1000 * 2 ** attempt);
  return Math.min(LONGEST, Math.max(random * bound, retryAfter ?? 0));
}

/** Retry-After (RFC 9110, 10.2.3) in milliseconds: seconds or a date; null where it says neither. */
export function retryAfterOf(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? null : Math.max(0, time - now.getTime());
}
