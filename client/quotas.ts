/** What the service said of its caller's quotas, so that nobody asks who would only be refused. */

/** `"anonymous";r=0;t=42`: a name, the requests that remain, and the seconds until there are more. */
const ITEM = /"([^"]*)"((?:\s*;\s*[\w*.-]+=-?\d+)*)/g;

export class Quotas {
  /** When a quota that is used up is full again, in milliseconds. */
  readonly #fullAt = new Map<string, number>();
  /** The quotas that each kind of address is charged to. */
  readonly #charged = new Map<string, readonly string[]>();

  /** Reads `RateLimit` of an answer (draft-ietf-httpapi-ratelimit-headers). */
  note(address: string, header: string | null, now: number): void {
    const names: string[] = [];
    for (const [, name = "", parameters = ""] of (header ?? "").matchAll(ITEM)) {
      const { r = Number.NaN, t = Number.NaN } = Object.fromEntries(
        [...parameters.matchAll(/([\w*.-]+)=(-?\d+)/g)].map(([, key = "", value]) => [key, Number(value)]),
      );
      names.push(name);
      if (r <= 0 && t >= 0) this.#fullAt.set(name, now + t * 1000);
      else this.#fullAt.delete(name);
    }
    if (names.length > 0) this.#charged.set(kindOf(address), names);
  }

  /** Milliseconds until the address can be asked. */
  wait(address: string, now: number): number {
    const names = this.#charged.get(kindOf(address)) ?? [];
    return Math.max(0, ...names.map((name) => (this.#fullAt.get(name) ?? now) - now));
  }
}

/** Badges and evaluations have quotas of their own: addresses are told apart by where they begin. */
function kindOf(address: string): string {
  return new URL(address).pathname.split("/", 2).join("/");
}
