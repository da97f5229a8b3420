/**
 * Writes the site of the active release as files for a static host. The server's own handlers make the views in this
 * process, without a socket. The writer follows the links of the views. At the end it rewrites each view, because only
 * then it knows which files exist. It leaves out accounts, checks of published datasets and problem reports, which need
 * a server.
 */

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { FONT_PATH } from "../../api-static/routes/route.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { inParallel } from "../../releases/publish/target.ts";
import { liveMetrics } from "../../schemas/public/api/metrics.ts";
import { type RecordDetail, recordDetail } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import type { SiteFace } from "../../web/components/face.ts";
import { LISTING, SCRIPTS } from "../../web/components/scripts.ts";
import {
  type FoundPlace,
  hasResearcherPage,
  type ListsData,
  listAddress,
  type StatedValues,
} from "../../web/static/lists.ts";
import { rewritten } from "../../web/static/rewrite.ts";
import { openAccounts } from "../accounts/database.ts";
import { createServer } from "../index.ts";
import { lastYear } from "../read/groups.ts";
import { readCheckScript } from "../site/check-script.ts";
import { doiFiles } from "./doi-files.ts";
import { staticTarget } from "./file-names.ts";
import { readStatedValues, type StatedInRelease } from "./stated-values.ts";

export interface StaticSiteOptions {
  /** The folder that the release was published to. Files of the site replace those of an earlier one. */
  readonly folder: string;
  /** The public URL of the folder, which ends in a slash. */
  readonly url: URL;
  /** Ids of researchers who are left out. */
  readonly hidden: readonly string[];
  readonly contact: string | null;
  readonly face: SiteFace;
}

export interface StaticSiteCounts {
  readonly views: number;
  readonly files: number;
  readonly bytes: number;
}

/** Prefix of the folder into which a site is written before it replaces the earlier site. */
const UNFINISHED = ".site-";

type SiteEffects = Pick<Effects, "now" | "sleep" | "progress">;

/**
 * Writes the site of the active release as files, which any web server can serve.
 * @throws Error if no release is active, or if a view cannot be made
 */
export async function writeStaticSite(
  store: Store,
  options: StaticSiteOptions,
  effects: SiteEffects,
): Promise<StaticSiteCounts> {
  const { folder } = options;
  // A run that was killed leaves its folder behind.
  for (const name of await readdir(folder)) {
    if (name.startsWith(UNFINISHED)) await rm(join(folder, name), { recursive: true, force: true });
  }
  // In the same file system, so that they can be renamed.
  const [written, former] = [await mkdtemp(join(folder, UNFINISHED)), await mkdtemp(join(folder, UNFINISHED))];
  try {
    const counts = await writeInto(written, store, options, effects);
    // Removing a folder of pages takes long, so the earlier pages are moved away first.
    for (const name of await readdir(written)) {
      if (existsSync(join(folder, name))) await rename(join(folder, name), join(former, name));
      await rename(join(written, name), join(folder, name));
    }
    return counts;
  } finally {
    for (const path of [written, former]) await rm(path, { recursive: true, force: true });
  }
}

/** A quota that is never reached, because requests in one process are not limited. */
const UNLIMITED = { requests: 1_000_000_000, seconds: 60 };
const QUOTAS = ["anonymous", "preflight", "badge", "poll", "key", "address"] as const;

async function writeInto(
  written: string,
  store: Store,
  { folder, url, hidden, contact, face }: StaticSiteOptions,
  effects: SiteEffects,
): Promise<StaticSiteCounts> {
  // No text of a dataset can contain this origin.
  const origin = `https://${randomUUID()}.invalid`;
  const scratch = await mkdtemp(join(tmpdir(), "share-site-"));
  try {
    const accounts = { sqlite: join(scratch, "accounts.sqlite") };
    await hide(accounts, hidden, effects);
    const server = await createServer(
      store,
      {
        logger: false,
        // Nobody signs in, so the store's own accounts stay closed.
        accounts,
        quotas: Object.fromEntries(QUOTAS.map((name) => [name, UNLIMITED])),
        // Its queries are so small that more threads cost more than they save.
        queryThreads: 2,
        site: new URL(origin),
        isStatic: true,
        contact,
        face,
      },
      effects,
    );
    try {
      const ask = async (target: string, accept: string) => {
        const { statusCode, headers, rawPayload } = await server.app.inject({ url: target, headers: { accept } });
        return { status: statusCode, location: headers.location, body: rawPayload };
      };
      const digest = await currentDigest(store);
      if (digest === null) throw new Error("no release is active; activate one with `share-release release activate`");
      const stated = await readStatedValues(store.release(digest));
      const site = new StaticSite({ origin, url, written, published: folder }, stated, ask);
      await site.crawl((done) =>
        effects.progress({ stage: "publish", step: "site", done, total: null, unit: "files" }),
      );
      return await site.finish();
    } finally {
      await server.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function hide(target: { readonly sqlite: string }, ids: readonly string[], { now }: SiteEffects): Promise<void> {
  const { db, close } = await openAccounts(target);
  try {
    const since = now().toISOString();
    for (const id of ids) {
      await db.insertInto("hidden_researcher").values({ researcher_id: id, slug: id, since }).execute();
    }
  } finally {
    await close();
  }
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: Buffer;
}

interface Written {
  readonly file: string;
  readonly isView: boolean;
  /**
   * True if the file has URLs of this site, which are rewritten at the end. A file without such URLs stays as it is.
   */
  readonly isRewritten: boolean;
  readonly bytes: number;
}

interface Places {
  /** The origin of URLs that the server writes into views. At the end, the public URL replaces it. */
  readonly origin: string;
  readonly url: URL;
  readonly written: string;
  /** The folder with the published release. */
  readonly published: string;
}

/** Number of requests at the same time. While one waits for the engine, another is rendered. */
const PARALLEL = 6;

/** The script of the lists, which the build of `score/` writes. */
const LISTS = new URL("../../score/dist/static/lists.js", import.meta.url);

/**
 * The content security policy as an element, because a static host sends no headers. The only scripts are files of the
 * site.
 */
const POLICY = `<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src 'self' blob:; form-action 'self'; base-uri 'none'">`;

/** Kinds of pages that the search of the site finds by their heading, and the group of each in the results. */
const GROUPS: ReadonlyMap<string, FoundPlace["group"]> = new Map([
  ["repositories", "Repositories"],
  ["organisations", "Institutions"],
  ["funders", "Funders"],
]);

/** A path that the server does not have. A request to it returns the page for status 404. */
const NO_PAGE = "/no-such-page";

/** Largest number of addresses in a file of the site map, because search engines read no more. */
const SITE_MAP_LINES = 50_000;

/** Name of the script that all pages load. */
const SCRIPT = "site.js";

class StaticSite {
  readonly #places: Places;
  readonly #stated: StatedInRelease;
  readonly #ask: (target: string, accept: string) => Promise<Answer>;
  /** The written file of each target; null if the target is still queued, or if the server has no such page. */
  readonly #files = new Map<string, Written | null>();
  /** For each target that redirects, the target to which it leads. */
  readonly #moved = new Map<string, string>();
  #researchers: ListsData["researchers"] = [];
  #until = 0;
  readonly #datasets: ListsData["datasets"][number][] = [];
  #signals: ListsData["signals"] = [];
  /** Repositories, institutions and funders that the search of the site can find. */
  readonly #subjects: FoundPlace[] = [];
  /** The id of each researcher who has no page, by the id itself and by the slug. */
  readonly #withoutPage = new Map<string, string>();
  readonly #folders = new Set<string>();
  readonly #queue: string[] = [];

  constructor(places: Places, stated: StatedInRelease, ask: (target: string, accept: string) => Promise<Answer>) {
    this.#places = places;
    this.#stated = stated;
    this.#ask = ask;
  }

  /**
   * Requests the start page, and all pages that it leads to, directly or through other pages. How many they are is known only at
   * the end.
   */
  async crawl(report: (done: number) => void): Promise<void> {
    this.#researchers = await this.#listResearchers();
    const { body } = await this.#ask("/metrics/live", "application/json");
    this.#until = lastYear(liveMetrics.parse(JSON.parse(body.toString("utf8"))).release);
    for (const person of this.#researchers.filter((each) => !hasResearcherPage(each))) {
      for (const key of [person.id, person.slug]) this.#withoutPage.set(key, person.id);
    }
    this.#find("/");
    // Only the style sheet names the font.
    this.#find(FONT_PATH);
    for (const name of readCheckScript().files.keys()) this.#find(`/check-script/${name}`);
    let done = 0;
    // The queue grows while it is read, and ends when no request can add to it.
    for (let from = 0; from < this.#queue.length; ) {
      const part = this.#queue.slice(from);
      from = this.#queue.length;
      await inParallel(part, PARALLEL, async (target) => {
        await this.#fetch(target);
        done += 1;
        report(done);
      });
    }
  }

  /** Rewrites the links of all files, and adds the scripts. */
  async finish(): Promise<StaticSiteCounts> {
    const { written } = this.#places;
    let [views, files, bytes] = [0, 0, 0];
    const write = async (file: string, content: string | Buffer) => {
      await this.#write(file, content);
      files += 1;
      bytes += Buffer.byteLength(content);
    };
    await write(SCRIPT, [...SCRIPTS, LISTING].join("\n"));
    await write("lists.js", `(() => {\n${await readFile(LISTS, "utf8")}})();\n`);
    const lists = this.#lists();
    // Browsers read a JSON text faster than an object of the same size.
    await write("lists-data.js", `globalThis.listData = JSON.parse(${JSON.stringify(JSON.stringify(lists))});`);
    // GitHub Pages then serves the files as they are.
    await write(".nojekyll", "");
    await write("404.html", await this.#missingPage());
    const entries = [...this.#files.values()].filter((entry) => entry !== null);
    await inParallel(entries, PARALLEL, async ({ file, isView, isRewritten, bytes: size }) => {
      if (isView) views += 1;
      if (!isRewritten) {
        files += 1;
        bytes += size;
        return;
      }
      const text = await readFile(join(written, file), "utf8");
      await write(file, isView ? this.#page(text, file) : this.#absolute(text));
    });
    const named = lists.datasets.map(({ row }) => row);
    await inParallel(doiFiles(named, this.#places.url), PARALLEL, async ({ file, ...source }) => {
      if ("text" in source) return await write(file, source.text);
      await this.#makeFolder(file);
      await copyFile(join(written, source.copyOf), join(written, file));
      files += 1;
      bytes += (await stat(join(written, file))).size;
    });
    // The order of requests differs between runs.
    const addresses = entries.flatMap(({ file, isView }) => (isView ? [`${this.#places.url.href}${file}`] : [])).sort();
    for (let part = 0; part * SITE_MAP_LINES < addresses.length; part += 1) {
      const lines = addresses.slice(part * SITE_MAP_LINES, (part + 1) * SITE_MAP_LINES);
      await write(part === 0 ? "sitemap.txt" : `sitemap-${part + 1}.txt`, `${lines.join("\n")}\n`);
    }
    return { views, files, bytes };
  }

  /** Returns the page for status 404. Hosts show it under any path, so its links begin with the path of the site. */
  async #missingPage(): Promise<string> {
    const { body } = await this.#ask(NO_PAGE, "text/html");
    return this.#page(body.toString("utf8"), "404.html").replace(
      / (href|src|action)="(?![a-z]+:|#|\/)/g,
      (_all, name) => ` ${name}="${this.#places.url.pathname}`,
    );
  }

  async #write(file: string, content: string | Buffer): Promise<void> {
    await this.#makeFolder(file);
    await writeFile(join(this.#places.written, file), content);
  }

  async #makeFolder(file: string): Promise<void> {
    const folder = dirname(join(this.#places.written, file));
    if (!this.#folders.has(folder)) await mkdir(folder, { recursive: true });
    this.#folders.add(folder);
  }

  async #listResearchers(): Promise<ListsData["researchers"]> {
    const researchers: ListsData["researchers"][number][] = [];
    for (let page = 1, hasNext = true; hasNext; page += 1) {
      const { status, body } = await this.#ask(`/authors?limit=100&page=${page}`, "application/json");
      if (status !== 200)
        throw new Error(
          `the server responds to /authors with status ${status}, so the static site has no list of researchers; its log has the cause`,
        );
      const { data, pagination } = researcherList.parse(JSON.parse(body.toString("utf8")));
      for (const { id, slug, name, affiliation, orcid, identityBasis, datasetCount, sIndex } of data) {
        researchers.push({ id, slug, name, affiliation, orcid, identityBasis, datasetCount, sIndex });
      }
      hasNext = pagination.hasNext;
    }
    return researchers;
  }

  #lists(): ListsData {
    // The order of requests differs between runs.
    const datasets = this.#datasets.toSorted((one, other) => (one.row.id < other.row.id ? -1 : 1));
    const places = this.#subjects.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return {
      datasets,
      researchers: this.#researchers,
      until: this.#until,
      places,
      names: this.#stated.names,
      signals: this.#signals,
    };
  }

  async #fetch(target: string): Promise<void> {
    const { file, isView } = this.#findTarget(target) ?? { file: "", isView: false };
    const { status, location, body } = await this.#ask(target, isView ? "text/html" : "application/json, */*");
    if (status >= 300 && status < 400 && location !== undefined) {
      this.#moved.set(target, location);
      this.#find(location);
      return;
    }
    if (status >= 500)
      throw new Error(
        `the server responds to ${target} with status ${status}, so the static site is incomplete: ${body.toString("utf8", 0, 200)}`,
      );
    if (status !== 200) return;
    await this.#write(file, body);
    const isRewritten = isView || body.includes(new URL(this.#places.origin).host);
    this.#files.set(target, { file, isView, isRewritten, bytes: body.length });
    if (target.startsWith("/records/")) {
      const record = recordDetail.parse(JSON.parse(body.toString("utf8")));
      this.#signals = record.signals.map(({ id, name }) => [id, name]);
      this.#datasets.push(listedDataset(record, this.#stated.byDataset.get(record.id) ?? {}));
    }
    if (!isView) return;
    const page = body.toString("utf8");
    const [, kind = ""] = /^\/(repositories|organisations|funders)\/[^?]+$/.exec(target) ?? [];
    const group = GROUPS.get(kind);
    const [, heading] = /<h1(?: dir="auto")?>(?:<bdi>)?([^<]*)/.exec(page) ?? [];
    if (group !== undefined && heading !== undefined) {
      this.#subjects.push({ group, name: unescaped(heading), path: target, file });
    }
    for (const [, link = ""] of page.matchAll(/ (?:href|src|data-live)="([^"]*)"/g)) this.#find(link);
  }

  /** Queues the target of a link if it becomes a file and was not found before. */
  #find(link: string): void {
    const found = this.#findTarget(link);
    if (found === null || this.#files.has(found.target)) return;
    this.#files.set(found.target, null);
    this.#queue.push(found.target);
    // A badge for shields.io is only named in a snippet.
    if (found.target.endsWith("/badge.svg")) this.#find(found.target.replace(/svg$/, "json"));
  }

  #findTarget(link: string) {
    const url = this.#ownUrl(link);
    return url === null || this.#hasNoPage(url.pathname) !== undefined
      ? null
      : staticTarget(url.pathname, url.searchParams);
  }

  /** Returns the id of the researcher if a path is that of a researcher without a page; otherwise undefined. */
  #hasNoPage(path: string): string | undefined {
    const [, key = ""] = /^\/(?:researchers|authors|widgets\/researchers)\/([^/]+)/.exec(path) ?? [];
    return this.#withoutPage.get(key);
  }

  /** Returns the URL of a link to the site; null for other links. */
  #ownUrl(link: string): URL | null {
    const { origin } = this.#places;
    const url = link.startsWith("#") ? null : URL.parse(link, origin);
    return url === null || url.origin !== origin ? null : url;
  }

  /** Returns the path of the file that a link to the site leads to; null if there is none. */
  #findFile(link: string): string | null {
    const url = this.#ownUrl(link);
    if (url === null) return null;
    const release = /^\/releases\/sha256[:-]([0-9a-f]{64})(?:\/(.+))?$/.exec(decodeURIComponent(url.pathname));
    if (release !== null) {
      const [, digest, name = "release.json"] = release;
      const file = `releases/sha256-${digest}/${name}`;
      return existsSync(join(this.#places.published, file)) ? file : null;
    }
    const author = this.#hasNoPage(url.pathname);
    if (author !== undefined) {
      return url.pathname.startsWith("/researchers/")
        ? listAddress("/datasets", new URLSearchParams({ author }))
        : null;
    }
    const found = staticTarget(url.pathname, url.searchParams);
    if (found === null) return listAddress(url.pathname, url.searchParams)?.replaceAll("&", "&amp;") ?? null;
    const moved = this.#moved.get(found.target);
    return moved === undefined ? (this.#files.get(found.target)?.file ?? null) : this.#findFile(moved);
  }

  #page(text: string, file: string): string {
    const relative = (to: string) => posix.relative(posix.dirname(file), to);
    const resolve = (address: string) => {
      const link = unescaped(address);
      if (link.startsWith("#") || this.#ownUrl(link) === null) return address;
      const to = this.#findFile(link);
      if (to === null) return null;
      // A canonical link is absolute.
      return link.startsWith("/") ? `${relative(to)}${getFragment(address)}` : address;
    };
    const [list] = /^(?:datasets|researchers)(?=\.html$)/.exec(file) ?? [];
    const script = `<script src="${relative(SCRIPT)}" defer${list === undefined ? "" : ` data-list="${list}"`}></script>`;
    const page = rewritten(text, resolve).replace("</head>", () => `${POLICY}\n${script}\n</head>`);
    return withoutDeadFragments(this.#absolute(page));
  }

  /** Rewrites URLs of the site in texts, metadata and feeds, even if a URL is a parameter of another one. */
  #absolute(text: string): string {
    return text
      .replace(ENCODED_URL, (url) => encodeURIComponent(this.#publicUrl(decodeURIComponent(url))))
      .replace(OWN_URL, (url) => this.#publicUrl(url));
  }

  #publicUrl(text: string): string {
    const { origin, url } = this.#places;
    if (!text.startsWith(origin)) return text;
    const path = text.slice(origin.length + 1);
    const file = this.#findFile(`/${path}`);
    return `${url.href}${file === null ? path : `${file}${getFragment(path)}`}`;
  }
}

function shownScore({ total, bucketScores, status }: NonNullable<RecordDetail["score"]>) {
  return { total, bucketScores, status };
}

function listedDataset(record: RecordDetail, stated: StatedValues): ListsData["datasets"][number] {
  const { license, accessStatus, recordKind, identifier, masks, authors } = record;
  const { id, title, doi, repository, pubDate, versionFamily, scoreStatus, score, cap, range } = record;
  return {
    row: {
      id,
      title,
      doi,
      repository,
      pubDate,
      versionFamily,
      scoreStatus,
      score: score && shownScore(score),
      cap,
      range,
    },
    license,
    accessStatus,
    recordKind,
    source: identifier.slice(0, identifier.indexOf("/")),
    stated,
    absent: masks === null ? 0 : masks.evaluableMask & ~masks.passedMask,
    passed: masks?.passedMask ?? 0,
    authors: authors.flatMap(({ id }) => id ?? []),
  };
}

/** Removes links to elements that were left out. */
function withoutDeadFragments(text: string): string {
  const ids = new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
  return text.replace(/ href="#([^"]*)"/g, (link, id: string) => (id === "" || ids.has(id) ? link : ""));
}

/** Matches URLs of the server in this process: plain URLs, and URLs that are a parameter of another one. */
const OWN_URL = /https:\/\/[0-9a-f-]{36}\.invalid[^\s"'<>)\]\\&]*/g;
const ENCODED_URL = /https%3A%2F%2F[0-9a-f-]{36}\.invalid(?:%[\dA-F]{2}|[\w.~-])*/g;

function unescaped(attribute: string): string {
  return attribute
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function getFragment(link: string): string {
  const start = link.indexOf("#");
  return start < 0 ? "" : link.slice(start);
}
