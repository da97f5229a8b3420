/** One published release: its records, badges and figures. */

import type { AnswerOf } from "../operation-types.ts";
import { type Files, LatestValues, REPORT, ReleaseFault, sha256, toHex } from "./files.ts";
import { type Manifest, type ManifestLine, readManifest } from "./manifest.ts";
import { RECORD_ID } from "./pack-index.ts";
import { PackedPages } from "./pages.ts";
import { type ReleaseKey, signatureFault } from "./signature.ts";

export interface VersionOptions {
  /** The public version of SHARE; 2.0 by default. */
  readonly rubric?: "2.0" | "1.0";
}

type Receipt = AnswerOf<"release">;

/** The signed statement of a publisher about its latest release, keys and retractions. */
export type ReleaseHead = NonNullable<AnswerOf<"releaseKeys">["head"]>;

/** Maximum bytes of a manifest, which suffice for about two million files, and of a receipt. */
const MANIFEST_BYTES = 256 * 1024 * 1024;
export const RECEIPT_BYTES = 16 * 1024 * 1024;

/** The default version, and the only version of badges. */
const DEFAULT = "2.0";

export class PublishedRelease {
  /** URL of the release's folder, with a slash at the end. */
  readonly url: string;
  /** The head of the publisher, if one of your keys signed it. Store its `sequence` for the next time. */
  readonly head: ReleaseHead | null;
  readonly #files: Files;
  readonly #pages: PackedPages;
  readonly #buckets = bucketCache();
  #manifest: Promise<Manifest> | null = null;
  #receipt: Promise<Receipt> | null = null;

  constructor(url: string, files: Files, head: ReleaseHead | null = null) {
    this.url = url;
    this.head = head;
    this.#files = files;
    this.#pages = new PackedPages(files, () => this.manifest());
  }

  /**
   * Returns a dataset by its id or DOI; null if the release does not contain it. The look-up of a DOI needs an additional
   * request.
   */
  async record(idOrDoi: string, { rubric = DEFAULT }: VersionOptions = {}): Promise<AnswerOf<"record"> | null> {
    const doi = bareDoi(idOrDoi);
    if (doi === null) return this.#record(rubric, idOrDoi);
    for (const id of await this.#findIds(doi)) {
      const record: AnswerOf<"record"> | null = await this.#record(rubric, id);
      if (record?.doi === doi) return record;
    }
    return null;
  }

  /**
   * Returns the points of a dataset in each bucket and, separately, its observed use; null if the release does not contain
   * the dataset.
   */
  async impact(idOrDoi: string, { rubric = DEFAULT }: VersionOptions = {}): Promise<AnswerOf<"impact"> | null> {
    const id = await this.#findId(idOrDoi);
    return id === null ? null : this.#json(`${rubric}/impact`, id);
  }

  /** Returns a dataset's badge as SVG. */
  async badge(idOrDoi: string): Promise<string | null> {
    const id = await this.#findId(idOrDoi);
    return id === null ? null : this.#text(`${DEFAULT}/dataset-badge`, id);
  }

  /** Returns a repository's badge as SVG, by its exact label. */
  async repositoryBadge(repository: string): Promise<string | null> {
    return this.#text(`${DEFAULT}/repository-badge`, repository);
  }

  /** Returns figures of the complete release. */
  async metrics({ rubric = DEFAULT }: VersionOptions = {}): Promise<AnswerOf<"metrics"> | null> {
    return this.#json("release", `api/${rubric}/metrics/live.json`);
  }

  /** Returns figures of every release up to this one. */
  async history({ rubric = DEFAULT }: VersionOptions = {}): Promise<AnswerOf<"history"> | null> {
    return this.#json("release", `api/${rubric}/metrics/history.json`);
  }

  async rubrics(): Promise<AnswerOf<"rubrics"> | null> {
    return this.#json("release", "api/rubrics/index.json");
  }

  /** Returns a rubric by its public version or contract. */
  async rubric(version: string): Promise<AnswerOf<"rubric"> | null> {
    return this.#json("release", `api/rubrics/${version}.json`);
  }

  /** Returns the first page of the reported affiliations. */
  async institutions({ rubric = DEFAULT }: VersionOptions = {}): Promise<AnswerOf<"institutions"> | null> {
    return this.#json("release", `api/${rubric}/lists/institutions.json`);
  }

  /** Returns the first page of the countries, which has all of them. */
  async geography({ rubric = DEFAULT }: VersionOptions = {}): Promise<AnswerOf<"geography"> | null> {
    return this.#json("release", `api/${rubric}/lists/geography.json`);
  }

  /** Returns every file of the release, with its bytes and sha256. */
  manifest(): Promise<Manifest> {
    this.#manifest ??= this.#files.read("manifest.ndjson", MANIFEST_BYTES).then((bytes) => {
      return readManifest(new TextDecoder().decode(bytes), this.#files.buildUrl("manifest.ndjson"));
    });
    return this.#manifest;
  }

  /** Returns the receipt, after verifying that the manifest matches it. */
  receipt(): Promise<Receipt> {
    this.#receipt ??= this.#provenReceipt(null);
    return this.#receipt;
  }

  /**
   * Verifies that one of these keys signed the receipt, and so the manifest and every file.
   *
   * @throws ReleaseFault if none of them signed it
   */
  async requireSignature(keys: readonly ReleaseKey[]): Promise<Receipt> {
    return this.#provenReceipt(keys);
  }

  async #provenReceipt(keys: readonly ReleaseKey[] | null): Promise<Receipt> {
    const url = this.#files.buildUrl("release.json");
    const receipt = JSON.parse(new TextDecoder().decode(await this.#files.read("release.json", RECEIPT_BYTES)));
    const fault = keys === null ? null : await signatureFault(receipt, keys);
    if (fault !== null)
      throw new ReleaseFault(url, `${fault}; use the current keys of the publisher, or another copy of the release`);
    const manifest = await this.#files.read("manifest.ndjson", MANIFEST_BYTES);
    const digest = `sha256:${toHex(await sha256(manifest))}`;
    if (digest !== receipt.manifestDigest)
      throw new ReleaseFault(
        url,
        `names the manifest ${receipt.manifestDigest}, but the manifest beside it is ${digest}. ${REPORT}`,
      );
    const [, named] = /\/sha256-([0-9a-f]{64})\/$/.exec(this.url) ?? [];
    if (named !== undefined && receipt.releaseDigest !== `sha256:${named}`) {
      throw new ReleaseFault(
        url,
        `belongs to the release ${receipt.releaseDigest}, but the URL of the receipt names another one. ${REPORT}`,
      );
    }
    // Later reads use the verified manifest.
    this.#manifest = Promise.resolve(
      readManifest(new TextDecoder().decode(manifest), this.#files.buildUrl("manifest.ndjson")),
    );
    return receipt;
  }

  async #findId(idOrDoi: string): Promise<string | null> {
    if (bareDoi(idOrDoi) === null) return idOrDoi;
    return (await this.record(idOrDoi))?.id ?? null;
  }

  async #findIds(doi: string): Promise<readonly string[]> {
    const file = (await this.manifest()).files.get(LOOKUP);
    if (file === undefined)
      throw new ReleaseFault(this.url, "has no look-up of DOIs; give the id of the record instead");
    return findIds(doi, file, this.#files, this.#buckets);
  }

  async #record(rubric: string, id: string): Promise<AnswerOf<"record"> | null> {
    return RECORD_ID.test(id) ? this.#json(`${rubric}/record`, id) : null;
  }

  /** Returns a page parsed from JSON, or null. Its fields are not checked, so the caller's type must match the family. */
  async #json<Page>(family: string, key: string): Promise<Page | null> {
    const text = await this.#text(family, key);
    return text === null ? null : JSON.parse(text);
  }

  async #text(family: string, key: string): Promise<string | null> {
    const page = await this.#pages.find(family, key);
    return page === null ? null : new TextDecoder().decode(page);
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

const LOOKUP = "lookup/doi.bin";

const MARK = "SHARELK1";
const [BUCKET, HEAD, ENTRY] = [4096, 16, 24];

const RESOLVER = /^\s*(?:https?:\/\/(?:dx\.|www\.)?doi\.org\/|doi:\s*)/i;

/** Returns a DOI in lower case without its resolver; null for another text. */
function bareDoi(text: string): string | null {
  const after = text.replace(RESOLVER, "").trim();
  const bare = (after === text.trim() ? after : decoded(after)).toLowerCase();
  return /^10\.\d{4,9}(?:\.\d+)*\/\S+$/.test(bare) ? bare : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Number of cached parts of the DOI index: 4 MiB, enough for about ninety thousand DOIs. */
const MAX_CACHED = 1024;

const bucketCache = () => new LatestValues<Bytes>(MAX_CACHED);

/**
 * Returns ids of records that may have the DOI, with at most one request. Two DOIs can share an entry of the index, so the
 * caller must compare the DOI of each record.
 */
async function findIds(
  doi: string,
  file: ManifestLine,
  files: Files,
  cache: LatestValues<Bytes>,
): Promise<readonly string[]> {
  const digest = await sha256(new TextEncoder().encode(doi));
  const place = toHex(digest.subarray(0, 12));
  // The number of buckets is a power of two. The first bits of the digest are the number of the bucket.
  const number = Math.floor((new DataView(digest.buffer).getUint32(0) / 2 ** 32) * (file.bytes / BUCKET));
  const part = { offset: number * BUCKET, bytes: BUCKET };
  const bucket = await cache.get(String(number), () => files.part(file.path, part));
  const mark = new TextDecoder().decode(bucket.subarray(0, 8));
  if (mark !== MARK)
    throw new ReleaseFault(
      files.buildUrl(file.path),
      `has the layout ${mark}, which this version of the client cannot read; install a newer one`,
    );
  const count = new DataView(bucket.buffer).getUint16(8, true);
  const entries = Array.from({ length: count }, (_, i) =>
    toHex(bucket.subarray(HEAD + i * ENTRY, HEAD + (i + 1) * ENTRY)),
  );
  return entries.filter((entry) => entry.startsWith(place)).map((entry) => `r${entry.slice(24)}`);
}
