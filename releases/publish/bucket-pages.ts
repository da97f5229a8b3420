/**
 * Publishes pages of a release as single objects in an S3 bucket. The size and tag of each existing object, which the
 * bucket lists, show which pages are missing, so that any machine can resume an interrupted publication.
 */

import { hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Database, openDuckDB, quote } from "../../pipeline/engine/open.ts";
import { RELEASE_FAMILY } from "../../pipeline/packs/format.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { checkedPage, indexObject, isPageObject, pageObject, type SiteObject, siteObjects } from "./page-tree.ts";
import type { S3Bucket } from "./s3-bucket.ts";
import type { FileHeaders, PageCounts, PagesOptions } from "./target.ts";
import { inParallel, PublishRejected } from "./target.ts";

const MEMORY = "256MB";

/** An object to publish. If it is not a page, `family` is empty and `key` is its path. */
interface ObjectToPublish {
  readonly path: string;
  readonly bytes: number;
  readonly tag: string;
  readonly family: string;
  readonly key: string;
}

/**
 * Sends missing pages and other objects of the site, and removes obsolete ones. Pages that show which release is active are
 * sent last. The same call resumes an interrupted publication.
 */
export async function publishPages(bucket: S3Bucket, folder: string, options: PagesOptions): Promise<PageCounts> {
  const pages = await PageStore.open(folder);
  const db = await openDuckDB({ threads: 1, memory: MEMORY, spill: join(options.scratch, "spill") });
  try {
    return await new BucketPages(bucket, pages, db, options).all();
  } finally {
    db.close();
    pages.close();
  }
}

class BucketPages {
  #uploaded = 0;
  #bytes = 0;
  readonly #bucket: S3Bucket;
  readonly #pages: PageStore;
  readonly #db: Database;
  readonly #options: PagesOptions;
  readonly #site = new Map<string, SiteObject>();

  constructor(bucket: S3Bucket, pages: PageStore, db: Database, options: PagesOptions) {
    this.#bucket = bucket;
    this.#pages = pages;
    this.#db = db;
    this.#options = options;
  }

  async all(): Promise<PageCounts> {
    await this.#load("wanted", this.#wanted());
    await this.#load("there", this.#there());
    await this.#db.runFile(new URL("./plan.sql", import.meta.url));
    const [counts] = await this.#db.rows("select cast(count(*) as integer) as wanted from wanted");
    await this.#send(`family not in ('', '${RELEASE_FAMILY}')`);
    await this.#send(`family in ('', '${RELEASE_FAMILY}')`);
    const removed = await this.#remove();
    const uploaded = this.#uploaded;
    return { uploaded, unchanged: Number(counts?.wanted ?? 0) - uploaded, removed, bytes: this.#bytes };
  }

  async *#wanted(): AsyncGenerator<ObjectToPublish> {
    const existing = new Set<string>(["releases"]);
    for (const family of this.#pages.families) {
      for (const { key, bytes } of this.#pages.each(family)) {
        const object = pageObject({ family, key });
        if (object === null || (object.showsResearchers && !this.#options.researchers)) continue;
        if (family === RELEASE_FAMILY) existing.add(object.path);
        yield { path: object.path, bytes: bytes.length, tag: hash("md5", bytes), family, key };
      }
    }
    const site = siteObjects();
    for (const { path } of site) existing.add(path);
    for (const object of [...site, indexObject((path) => (existing.has(path) ? `/${path}` : null))]) {
      this.#site.set(object.path, object);
      const bytes = Buffer.from(object.text);
      yield { path: object.path, bytes: bytes.length, tag: hash("md5", bytes), family: "", key: object.path };
    }
  }

  /**
   * Lists the existing pages and other objects of the site. Leaves out releases and objects that do not belong to the site.
   */
  async *#there(): AsyncGenerator<ObjectToPublish> {
    for await (const { path, bytes, tag } of this.#bucket.list("")) {
      if (isPageObject(path) || this.#site.has(path)) yield { path, bytes, tag, family: "", key: "" };
    }
  }

  async #load(table: "wanted" | "there", rows: AsyncIterable<ObjectToPublish>): Promise<void> {
    const file = join(this.#options.scratch, `${table}.ndjson`);
    await pipeline(Readable.from(writeLines(rows)), createWriteStream(file));
    await this.#db.run(
      `create table ${table} as select row_number() over () as place, *
       from read_json(${quote(file)}, format = 'newline_delimited',
         columns = {path: 'varchar', bytes: 'bigint', tag: 'varchar', family: 'varchar', key: 'varchar'})`,
    );
  }

  async #send(condition: string): Promise<void> {
    const rows = this.#db.stream(`select family, key from to_send where ${condition} order by place`);
    await inParallel(flat(rows), this.#options.parallel, async ([family, key]) => {
      const { path, content, headers } = this.#buildObject(String(family), String(key));
      if (!this.#options.dryRun) await this.#bucket.put(path, content, headers);
      this.#uploaded += 1;
      this.#bytes += content.length;
      const progress = { stage: "publish", step: "pages", done: this.#uploaded, total: null, unit: "files" } as const;
      this.#options.effects.progress(progress);
    });
  }

  #buildObject(family: string, key: string): { path: string; content: Buffer; headers: FileHeaders } {
    const site = family === "" ? this.#site.get(key) : undefined;
    if (site !== undefined) return { path: key, content: Buffer.from(site.text), headers: site.headers };
    const [object, page] = [pageObject({ family, key }), this.#pages.get({ family, key })];
    if (object === null || page === null)
      throw new PublishRejected(
        `the release has no page ${key} in pages/${family}, although the index of a pack lists it; restore the release from a copy, or build it again`,
      );
    return { ...object, content: checkedPage(object.path, page) };
  }

  async #remove(): Promise<number> {
    let removed = 0;
    await inParallel(flat(this.#db.stream("select path from to_remove")), this.#options.parallel, async ([path]) => {
      if (!this.#options.dryRun) await this.#bucket.remove(String(path));
      removed += 1;
    });
    return removed;
  }
}

async function* writeLines(rows: AsyncIterable<ObjectToPublish>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

async function* flat<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}
