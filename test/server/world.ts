/** The world that tests of the server share: three real releases, which are built once, and servers of stores with them. */

import { hash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { openDuckDB } from "../../pipeline/engine/open.ts";
import { releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { activate } from "../../pipeline/store/releases.ts";
import { openStore, type Store } from "../../pipeline/store/store.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { AGGREGATE_TABLES } from "../../schemas/public/tables.ts";
import type { ServerOptions } from "../../server/index.ts";
import { type Listening, type ReleasedStore, releasedStore, serve } from "./test-store.ts";

export class World {
  readonly #cleanups: (() => PromiseLike<void> | void)[] = [];
  readonly store: Store;
  /** Receipt of a release with both SHARE versions, attribution and history. It is the active one of `store`. */
  readonly full: Receipt;
  /** Receipt of a release like `full` with an as-of date one day later. It is not active. */
  readonly next: Receipt;
  /** Receipt of a release with SHARE 2.0 only, without attribution and history. It is not active. */
  readonly limited: Receipt;

  private constructor(released: ReleasedStore) {
    const { store } = released;
    const [full, next, limited] = released.receipts;
    if (full === undefined || next === undefined || limited === undefined)
      throw new Error("expected three releases, and fewer were built");
    this.#cleanups.push(() => released[Symbol.asyncDispose]());
    this.store = store;
    this.full = full;
    this.next = next;
    this.limited = limited;
  }

  static async make(): Promise<World> {
    return new World(
      await releasedStore(
        {},
        { asOf: "2026-11-02", activate: false },
        { rubrics: ["2.0"], attribution: false, history: false, activate: false },
      ),
    );
  }

  async end(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
  }

  /** Starts a server that is stopped by `end`. */
  async serve(store: Store, options: Partial<ServerOptions> = {}): Promise<Listening> {
    const server = await serve(store, options);
    this.#cleanups.push(() => server.close());
    return server;
  }

  /** Creates a separate store with copies of these releases. None of them is active. */
  copy(...releases: readonly Receipt[]): Store {
    const copy = openStore(mkdtempSync(join(tmpdir(), "share-server-copy-")));
    this.#cleanups.push(() => rmSync(copy.root, { recursive: true, force: true }));
    for (const { releaseDigest } of releases) {
      const folder = this.store.release(releaseDigest);
      cpSync(folder, join(copy.releases, basename(folder)), { recursive: true, preserveTimestamps: true });
    }
    writeFileSync(copy.journal, builtLines(copy, releases));
    return copy;
  }

  /** Creates a store whose active release is a copy of this one, with `change` merged into its receipt. */
  async altered(release: Receipt, change: Partial<Receipt> = {}): Promise<Store> {
    const copy = this.copy(release);
    const path = join(copy.release(release.releaseDigest), "release.json");
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
    await activate(copy, release.releaseDigest, { reason: "changed by a test" });
    return copy;
  }

  /** Returns the slugs of the researchers in the full release, with their ORCID iDs. */
  async researchers(): Promise<{ readonly slug: string; readonly orcid: string | null }[]> {
    const db = await openDuckDB({ threads: 1 });
    try {
      const path = releaseTablePaths(this.store.release(this.full.releaseDigest)).researcher ?? "";
      await db.input(AGGREGATE_TABLES.researcher, path);
      const rows = await db.rows("select slug, orcid from researcher where rubric = '2.0' order by id");
      return rows.map(({ slug, orcid }) => ({ slug: String(slug), orcid: orcid === null ? null : String(orcid) }));
    } finally {
      db.close();
    }
  }
}

/** Returns the journal of a store in which these releases were built in this order. */
function builtLines(store: Store, releases: readonly Receipt[]): string {
  let before: string | null = null;
  return releases
    .map(({ releaseDigest }) => {
      const receipt = readFileSync(join(store.release(releaseDigest), "release.json"));
      const receiptDigest = `sha256:${hash("sha256", receipt)}`;
      const line = JSON.stringify({ event: "built", releaseDigest, receiptDigest, at: null, reason: null, before });
      before = `sha256:${hash("sha256", line)}`;
      return `${line}\n`;
    })
    .join("");
}
