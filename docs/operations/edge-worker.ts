/**
 * An edge worker that answers pages of datasets from the packs in a bucket, as docs/packs.md has them: records, impact and
 * badges of datasets. Everything else, and all that is about people, goes on to the server.
 *
 * For Cloudflare Workers, or whatever runs such modules with Node's zlib (`compatibility_flags = ["nodejs_compat"]`):
 *
 * - `SERVER`: address of `share-release serve`;
 * - `BUCKET`: the R2 bucket that `share-release publish` writes to, as a binding; or
 * - `RELEASES`: the address of such a bucket over HTTP, which answers ranges.
 */

import { Buffer } from "node:buffer";
import { zstdDecompressSync } from "node:zlib";

type Part = { readonly suffix: number } | { readonly offset: number; readonly length: number };

interface Bucket {
  get(path: string, options?: { readonly range: Part }): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
}

interface Environment {
  readonly SERVER: string;
  readonly BUCKET?: Bucket;
  readonly RELEASES?: string;
}

/** What the pages of a route are answered with: api-static/routes/. */
const JSON_PAGE = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "public, max-age=60, stale-while-revalidate=600",
};
const BADGE = {
  "content-type": "image/svg+xml; charset=utf-8",
  "cache-control": "public, max-age=300",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
};
const SHARED = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, SHARE-Release, SHARE-Retracted, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Total-Count",
  vary: "Accept, accept-encoding, Sec-Fetch-Mode, Sec-Fetch-Site, X-API-Key",
};

const PAGES = [
  { path: /^\/records\/(r[0-9a-f]{24})$/, route: "record", headers: JSON_PAGE },
  { path: /^\/records\/(r[0-9a-f]{24})\/impact$/, route: "impact", headers: JSON_PAGE },
  { path: /^\/widgets\/datasets\/(r[0-9a-f]{24})\/badge\.svg$/, route: "dataset-badge", headers: BADGE },
];
const VERSIONS: ReadonlyMap<string, string> = new Map([
  ["", "2.0"],
  ["?rubric=2.0", "2.0"],
  ["?rubric=1.0", "1.0"],
]);

interface Pack {
  readonly path: string;
  readonly from: string;
  readonly index: { readonly bytes: number; readonly sha256: string };
}

interface Release {
  readonly digest: string;
  /** By family, in order of their ranges. */
  readonly packs: ReadonlyMap<string, readonly Pack[]>;
}

export default {
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const answer = await fromPacks(request, environment).catch((error: unknown) => {
      // A bucket that fails, or is not what it says, is no reason not to answer.
      console.error(error);
      return null;
    });
    if (answer !== null) return answer;
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(new URL(pathname + search, environment.SERVER), request), { redirect: "manual" });
  },
};

/** Null where the server has to answer. */
async function fromPacks(request: Request, environment: Environment): Promise<Response | null> {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const { pathname, search } = new URL(request.url);
  const version = VERSIONS.get(search);
  const page = PAGES.find(({ path }) => path.test(pathname));
  const [, id = ""] = page?.path.exec(pathname) ?? [];
  if (page === undefined || version === undefined) return null;
  // Where a browser asks for a page to read, the server leads it there; linked data it makes itself.
  if (page.headers === JSON_PAGE && /\btext\/html\b|ld\+json/i.test(request.headers.get("accept") ?? "")) return null;
  const { release, retracted } = await activeRelease(environment);
  const found = await findPage(release.packs.get(`${version}/${page.route}`) ?? [], id, environment);
  if (found === null) return null;
  const { bytes, sha256 } = found;
  const tag = `"${Math.max(1, sha256.readUInt32BE(0) >>> 1).toString(16)}-${bytes.length.toString(16)}"`;
  const headers = new Headers({ ...SHARED, ...page.headers, etag: tag, "share-release": release.digest });
  if (retracted) headers.set("share-retracted", "?1");
  if (isFresh(request.headers.get("if-none-match"), tag)) {
    headers.delete("content-type");
    return new Response(null, { status: 304, headers });
  }
  headers.set("content-length", String(bytes.length));
  return new Response(request.method === "HEAD" ? null : bytes, { headers });
}

function isFresh(condition: string | null, tag: string): boolean {
  if (condition === null) return false;
  return condition.trim() === "*" || condition.split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
}

/** For how long the pointer is not looked at again. */
const POINTER_MS = 5000;

interface Active {
  readonly release: Release;
  /** Whether a statement in the bucket says that it was withdrawn. */
  readonly retracted: boolean;
}

let known: { readonly until: number; readonly pointer: string; readonly active: Promise<Active> } | null = null;

/** The release that the bucket's pointer leads to. */
async function activeRelease(environment: Environment): Promise<Active> {
  const now = Date.now();
  if (known !== null && now < known.until) return known.active;
  const pointer = (await read("current", null, environment)).toString("utf8");
  const before = known?.pointer === pointer ? known.active.then(({ release }) => release) : null;
  const active = withStatement(before ?? readRelease(pointer, environment), environment);
  known = { until: now + POINTER_MS, pointer, active };
  active.catch(() => {
    known = null;
  });
  return active;
}

async function withStatement(read: Promise<Release>, environment: Environment): Promise<Active> {
  const release = await read;
  return { release, retracted: await isThere(`retractions/${release.digest.replace(":", "-")}.json`, environment) };
}

async function readRelease(pointer: string, environment: Environment): Promise<Release> {
  const { releaseDigest: digest, folder } = JSON.parse(pointer);
  if (!/^releases\/sha256-[0-9a-f]{64}$/.test(folder)) throw new Error("current does not lead to a release");
  const packs = new Map<string, Pack[]>();
  const manifest = (await read(`${folder}/manifest.ndjson`, null, environment)).toString("utf8");
  for (const line of manifest.trimEnd().split("\n")) {
    const { path, index } = JSON.parse(line);
    const [, family = "", from = ""] = /^pages\/(\d[\d.]*\/[a-z-]+)(?:\.([0-9a-f]{1,2}))?\.zst$/.exec(path) ?? [];
    if (family !== "") packs.set(family, [...(packs.get(family) ?? []), { path: `${folder}/${path}`, from, index }]);
  }
  for (const family of packs.values()) family.sort((one, other) => (one.from < other.from ? -1 : 1));
  return { digest, packs };
}

/** A record's page; null where there is none. Each part is what the one before says. */
async function findPage(packs: readonly Pack[], id: string, environment: Environment) {
  const place = Buffer.from(id.slice(1), "hex");
  const pack = packs.findLast(({ from }) => from <= id.slice(1));
  if (pack === undefined) return null;
  const root = await keptPart(pack.path, { suffix: pack.index.bytes }, pack.index.sha256, environment);
  if (root.toString("latin1", root.length - 8) !== "SHAREPK1") throw new Error(`${pack.path} is of another version`);
  let entry: Buffer | null = null;
  for (let at = 14; at + 54 <= root.length - 12 && root.compare(place, 0, 12, at, at + 12) <= 0; at += 54) {
    entry = root.subarray(at, at + 54);
  }
  if (entry === null) return null;
  const range = { offset: entry.readUIntLE(12, 6), length: entry.readUInt32LE(18) };
  const leaf = await keptPart(pack.path, range, entry.toString("hex", 22), environment);
  return pageIn(leaf, id, pack.path, environment);
}

/** Reads through the pages of a leaf, and the frame of the one that is looked for. */
async function pageIn(leaf: Buffer, id: string, path: string, environment: Environment) {
  const frames = 12;
  for (let at = frames + 14 * leaf.readUInt16LE(8); at < leaf.length; ) {
    const end = at + 1 + leaf.readUInt8(at);
    if (leaf.toString("utf8", at + 1, end) === id) {
      const frame = frames + 14 * leaf.readUInt16LE(end);
      const range = { offset: leaf.readUIntLE(frame, 6), length: leaf.readUInt32LE(frame + 6) };
      const [start, length] = [leaf.readUInt32LE(end + 2), leaf.readUInt32LE(end + 6)];
      const packed = await read(path, range, environment);
      const content = inflate(packed, leaf.readUInt32LE(frame + 10));
      const bytes = Buffer.from(content.buffer, content.byteOffset + start, length);
      const sha256 = leaf.subarray(end + 10, end + 42);
      await requireSha256(bytes, sha256.toString("hex"), path);
      return { bytes, sha256 };
    }
    at = end + 42;
  }
  return null;
}

/** A frame's content. workerd holds the limit against the room it made, which can be twice of what it needs. */
function inflate(packed: Buffer, length: number): Buffer {
  const content = zstdDecompressSync(packed, { maxOutputLength: 2 * length + 65_536 });
  if (content.length !== length) throw new Error("a frame has another length than its leaf says");
  return content;
}

/** Roots and leaves that were read: some 20 KB each. What they are never changes. */
const kept = new Map<string, Promise<Buffer>>();
const MOST_KEPT = 512;

function keptPart(path: string, part: Part, sha256: string, environment: Environment): Promise<Buffer> {
  const before = kept.get(sha256);
  if (before !== undefined) return before;
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= MOST_KEPT) kept.delete(oldest);
  const bytes = read(path, part, environment).then((read) => requireSha256(read, sha256, path));
  kept.set(sha256, bytes);
  bytes.catch(() => kept.delete(sha256));
  return bytes;
}

async function requireSha256(bytes: Buffer, sha256: string, path: string): Promise<Buffer> {
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
  if (digest !== sha256) throw new Error(`${path} is not what its index says`);
  return bytes;
}

/** Whether the bucket has an object; one that may not be listed says 403 of what it does not have. */
async function isThere(path: string, { BUCKET, RELEASES }: Environment): Promise<boolean> {
  if (BUCKET !== undefined) return (await BUCKET.get(path)) !== null;
  const { status } = await fetch(`${RELEASES}/${path}`);
  if (status !== 200 && status !== 403 && status !== 404) throw new Error(`${path} is answered with ${status}`);
  return status === 200;
}

/** An object of the bucket, or part of one. */
async function read(path: string, part: Part | null, { BUCKET, RELEASES }: Environment): Promise<Buffer> {
  if (BUCKET !== undefined) {
    const found = await BUCKET.get(path, part === null ? undefined : { range: part });
    if (found === null) throw new Error(`the bucket has no ${path}`);
    return Buffer.from(await found.arrayBuffer());
  }
  const found = await fetch(
    `${RELEASES}/${path}`,
    part === null ? {} : { headers: { range: `bytes=${rangeOf(part)}` } },
  );
  if (found.status !== (part === null ? 200 : 206)) throw new Error(`${path} is answered with ${found.status}`);
  return Buffer.from(await found.arrayBuffer());
}

function rangeOf(part: Part): string {
  return "suffix" in part ? `-${part.suffix}` : `${part.offset}-${part.offset + part.length - 1}`;
}
