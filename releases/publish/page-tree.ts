/**
 * Publishes the pages of a release as files below pages/sha256-<hex>/, beside the releases of a folder, so that any static
 * host can serve them. Each file has the path of the API and an extension for its content type. `pages/current` links to
 * the pages of the active release.
 */

import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openApi } from "../../api-static/openapi/index.ts";
import { BADGE_LABELS, rejectedBadge } from "../../api-static/pages/badge.ts";
import { PROBLEM_ADVICE } from "../../api-static/pages/problem-advice.ts";
import { ROUTES } from "../../api-static/routes/index.ts";
import { CACHE, HTML_TYPE, JSON_TYPE, type PageFile, type Route, SVG_TYPE } from "../../api-static/routes/route.ts";
import { makeFolder, syncFolder } from "../../pipeline/files/durable.ts";
import { type PageAddress, RELEASE_FAMILY, RESTORE } from "../../pipeline/packs/format.ts";
import type { PackedPage } from "../../pipeline/packs/pack-reader.ts";
import { PageStore } from "../../pipeline/packs/page-store.ts";
import { routedPage } from "../../pipeline/pages/keyed-pages.ts";
import { lockFolder, withLinkLock } from "../../pipeline/store/locks.ts";
import { linkPages, type StoreChange } from "../../pipeline/store/releases.ts";
import { type Store, UNFINISHED } from "../../pipeline/store/store.ts";
import { buildProblem, PROBLEMS } from "../../schemas/public/problem.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import { PUBLIC_VERSIONS } from "../../schemas/public/rubric.ts";
import { referencePages } from "../../web/reference/index.ts";
import { frontPage } from "../../web/views/home.ts";
import { problemTypePage } from "../../web/views/problem.ts";
import {
  type FileHeaders,
  inParallel,
  type PageCounts,
  type PagesOptions,
  PublishRejected,
  shareFile,
} from "./target.ts";

interface TreeSource {
  readonly folder: string;
  readonly receipt: Receipt;
}

/**
 * Writes the page files of a release in `store` unless they exist, and renames their folder when it is complete. If a
 * release in `before` has a file with the same bytes, makes a hard link to it. The same call resumes an interrupted one.
 */
export async function makeTree(
  store: Store,
  { folder, receipt: { releaseDigest } }: TreeSource,
  before: readonly (string | null)[],
  { parallel, dryRun, effects }: PagesOptions,
  change: StoreChange,
): Promise<PageCounts> {
  const tree = store.tree(releaseDigest);
  const pages = await PageStore.open(folder);
  const unlock = dryRun ? async () => undefined : await lockTrees(store);
  try {
    const earlier = before.flatMap((digest) => (digest === null ? [] : [store.tree(digest)]));
    const growing = new GrowingTree(existsSync(tree) ? tree : `${tree}${UNFINISHED}`, earlier, dryRun);
    await inParallel(listTreeFiles(pages), parallel, async (file) => {
      await growing.bring(file);
      const done = growing.uploaded + growing.unchanged;
      effects.progress({ stage: "publish", step: "pages", done, total: null, unit: "files" });
    });
    if (!dryRun && !existsSync(tree)) await finish(`${tree}${UNFINISHED}`, tree, store);
    if (!dryRun) await withLinkLock(store, change.sleep ?? null, () => linkPages(store));
    return { uploaded: growing.uploaded, unchanged: growing.unchanged, removed: 0, bytes: growing.bytes };
  } finally {
    pages.close();
    await unlock();
  }
}

const PART = ".tmp";

async function lockTrees(store: Store): Promise<() => Promise<void>> {
  await makeFolder(store.trees);
  return lockFolder(store.trees);
}

async function finish(from: string, tree: string, store: Store): Promise<void> {
  await mkdir(from, { recursive: true });
  await syncFolder(from);
  await rename(from, tree);
  await syncFolder(store.trees);
}

interface TreeFile {
  readonly name: string;
  readonly bytes: Buffer;
  /** Throws an error if the bytes are damaged. */
  readonly check: () => void;
}

/**
 * Yields the files of all pages that do not show researchers. A file would still show people after they asked to be hidden,
 * and only a server can leave them out.
 */
function* listTreeFiles(pages: PageStore): Generator<TreeFile> {
  const names = new Map<string, string>();
  for (const family of pages.families) {
    for (const { key, ...page } of pages.each(family)) {
      const object = pageObject({ family, key });
      if (object === null || object.showsResearchers) continue;
      const name = makeFileName(object);
      if (family === RELEASE_FAMILY) names.set(object.path, name);
      yield { name, bytes: page.bytes, check: () => checkedPage(name, page) };
    }
  }
  const site = siteObjects();
  for (const object of site) names.set(object.path, makeFileName(object));
  for (const object of [...site, indexObject((path) => names.get(path) ?? null)]) {
    yield { name: makeFileName(object), bytes: Buffer.from(object.text), check: () => undefined };
  }
}

class GrowingTree {
  uploaded = 0;
  unchanged = 0;
  bytes = 0;
  readonly #root: string;
  readonly #earlier: readonly string[];
  readonly #dryRun: boolean;
  readonly #made = new Set<string>();

  constructor(root: string, earlier: readonly string[], dryRun: boolean) {
    this.#root = root;
    this.#earlier = earlier;
    this.#dryRun = dryRun;
  }

  async bring({ name, bytes, check }: TreeFile): Promise<void> {
    if ((await holds(join(this.#root, name), bytes)) || (await this.#share(name, bytes))) {
      this.unchanged += 1;
      return;
    }
    check();
    if (!this.#dryRun) await this.#write(name, bytes);
    this.uploaded += 1;
    this.bytes += bytes.length;
  }

  /**
   * Makes a hard link to a file of an earlier release with the same bytes; returns false if there is none. The link has the
   * same modification time, so static hosts, which compute the ETag from time and size, send the same ETag.
   */
  async #share(name: string, bytes: Buffer): Promise<boolean> {
    for (const root of this.#earlier) {
      const from = join(root, name);
      if (!(await holds(from, bytes))) continue;
      if (this.#dryRun) return true;
      await this.#makeParentFolder(name);
      if (await shareFile(from, join(this.#root, name))) return true;
    }
    return false;
  }

  /**
   * Writes a file under a temporary name and then renames it. Overwriting an existing file in place could change the pages
   * of another release that shares it as a hard link.
   */
  async #write(name: string, bytes: Buffer): Promise<void> {
    await this.#makeParentFolder(name);
    const file = join(this.#root, name);
    await writeFile(`${file}${PART}`, bytes);
    await rename(`${file}${PART}`, file);
  }

  async #makeParentFolder(name: string): Promise<void> {
    const folder = dirname(name);
    if (this.#made.has(folder)) return;
    await mkdir(join(this.#root, folder), { recursive: true });
    this.#made.add(folder);
  }
}

/** Returns whether the file exists and has exactly these bytes. */
async function holds(path: string, bytes: Buffer): Promise<boolean> {
  const found = await readFile(path).catch(() => null);
  return found?.equals(bytes) === true;
}

/**
 * Returns the bytes of a page after checking its digest. `name` is for error messages.
 *
 * @throws PublishRejected if they do not match the index
 */
export function checkedPage(name: string, { bytes, sha256 }: PackedPage): Buffer {
  if (hash("sha256", bytes, "buffer").equals(sha256)) return bytes;
  throw new PublishRejected(`the page ${name} does not match its index, and was not published; ${RESTORE}`);
}

export interface SiteObject {
  readonly path: string;
  readonly text: string;
  readonly headers: FileHeaders;
}

const [SHARE_VERSION] = PUBLIC_VERSIONS;
const MISSING = "not-found";
const ADVICE =
  "This copy has no page at this URL. Check the URL; the API reference (docs) lists the URLs that only a server answers.";

/**
 * Returns the objects of the site that are not pages. Static hosts send the objects named 404 in responses with status 403
 * or 404.
 */
export function siteObjects(): SiteObject[] {
  const missing = { type: `/problems/${MISSING}`, ...PROBLEMS[MISSING], advice: PROBLEM_ADVICE[MISSING] };
  const description = openApi();
  return [
    { path: "openapi.json", text: JSON.stringify(description), headers: makeHeaders(JSON_TYPE) },
    ...[...referencePages(description)].map(([group, text]) => ({
      path: group === "" ? "docs" : `docs/${group}`,
      text,
      headers: makeHeaders(HTML_TYPE),
    })),
    { path: "404.html", text: problemTypePage(missing), headers: makeHeaders(HTML_TYPE, CACHE.person) },
    {
      path: "404.json",
      text: JSON.stringify(buildProblem(MISSING, ADVICE, "/")),
      headers: makeHeaders("application/problem+json", CACHE.person),
    },
    {
      path: "404.svg",
      text: rejectedBadge(BADGE_LABELS.record, "unknown"),
      headers: makeHeaders(SVG_TYPE, CACHE.person),
    },
  ];
}

/**
 * Returns the start page. `findHref` takes a path of the API without its first slash, and returns a link to it; null if
 * there is no file for it.
 */
export function indexObject(findHref: (path: string) => string | null): SiteObject {
  return { path: "index.html", text: frontPage(SHARE_VERSION, findHref), headers: makeHeaders(HTML_TYPE) };
}

function makeHeaders(contentType: string, cacheControl: string = CACHE.page): FileHeaders {
  return { contentType, cacheControl };
}

export interface PageObject {
  readonly path: string;
  readonly headers: FileHeaders;
  /** True if the page shows researchers. Somebody who wants to be hidden stays visible there until the next publication. */
  readonly showsResearchers: boolean;
}

/**
 * Returns the path and headers under which a page is published. Returns null if the URL of the page has another query than
 * the version, because the path of a file cannot contain one.
 */
export function pageObject(address: PageAddress): PageObject | null {
  const { route, file, key } = routedPage(address);
  const below = findFolder(route, file);
  if (below === null) return null;
  const path = `${below}${route.path.slice(1).replace(/\{\w+\}/, () => key)}`;
  const headers = { contentType: route.contentType, cacheControl: route.cache };
  return { path, headers, showsResearchers: route.showsResearchers };
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  [JSON_TYPE, ".json"],
  [HTML_TYPE, ".html"],
  [SVG_TYPE, ".svg"],
]);

/** Returns the file name of a page. Static hosts derive the content type from its extension. */
export function makeFileName({ path, headers }: Pick<PageObject, "path" | "headers">): string {
  const extension = EXTENSIONS.get(headers.contentType) ?? "";
  return path.endsWith(extension) ? path : `${path}${extension}`;
}

/**
 * Returns the folder of a page: "" for the default version, the version with a slash for another (such as `1.0/`), and null
 * if the URL of the page has another query.
 */
function findFolder(route: Route, { path, version }: PageFile): string | null {
  const queries = route.pages.filter((file) => file.path === path).map(({ query }) => query);
  if (queries.includes("")) return "";
  return queries.includes(`rubric=${version}`) ? `${version}/` : null;
}

const PATHS = ROUTES.filter(({ pages }) => pages.length > 0).map(({ path }) =>
  path
    .slice(1)
    .replace(/[.]/g, "\\.")
    .replace(/\{\w+\}/, "[^/]+"),
);
const VERSIONS = PUBLIC_VERSIONS.map((version) => version.replace(".", "\\."));
const PAGE = new RegExp(`^(?:(?:${VERSIONS.join("|")})/)?(?:${PATHS.join("|")})$`);

/** Returns whether an object at this path can only be a page, so that an obsolete one may be removed from a bucket. */
export function isPageObject(path: string): boolean {
  return PAGE.test(path);
}
