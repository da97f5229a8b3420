/**
 * The static site: files that any file server can serve below any path. It is complete, without dead links, and without hidden
 * researchers.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { researcherList } from "../../schemas/public/api/researcher.ts";
import { doiFolder } from "../../server/static-site/file-names.ts";
import { type ListsData, listMarkup } from "../../web/static/lists.ts";
import { ask, keptConnection } from "../server/ask.ts";
import { forgetAccounts, type Listening, type ReleasedStore, releasedStore, serve } from "../server/test-store.ts";
import { builtScore } from "../support/built-score.ts";
import { type Ended, runCommand } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { type LoopbackProgram, startProgram } from "../support/loopback-program.ts";
import { HAS_NGINX, startNginx } from "../support/nginx.ts";
import { IS_SOAK } from "../tiers.ts";
import { CHROMIUM, measureOverflow, openBrowser, openContext, violationsOn } from "./chromium.ts";

/** The window of a phone in light mode, and that of a desktop in dark mode. */
const WINDOWS = [
  { viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
] as const;

const PUBLIC = "https://example.org/share/";

let released: ReleasedStore;
let folder: string;
let files: ReadonlyMap<string, string>;
let hosts: readonly { readonly name: string; readonly host: LoopbackProgram }[];
let base: string;
/** The progress that the publication printed. */
let steps: readonly string[];
let server: Listening;
let hidden: { readonly id: string; readonly slug: string; readonly name: string };

beforeAll(async () => {
  await using _built = await builtScore();
  released = await releasedStore({});
  forgetAccounts(released.store);
  folder = await mkdtemp(join(tmpdir(), "static-site-"));
  hidden = await someResearcher();
  await writeFile(join(folder, "hidden.txt"), `${hidden.id}\n`);
  const ended = await publish("--exclude-researchers", join(folder, "hidden.txt"), "--force", "to test the site");
  expect(ended.stderr).not.toContain("Error");
  expect(ended.stdout).toContain("a site of");
  steps = ended.stderr.split("\n").filter((line) => line.includes('"step":"site"'));
  files = await siteFiles();
  const [python, other] = [await freePort(), await freePort()];
  const nginx = HAS_NGINX ? await startNginx(`server { listen 127.0.0.1:${other}; root ${folder}; }`, other) : null;
  const parameters = ["-m", "http.server", String(python), "--bind=127.0.0.1", `--directory=${folder}`];
  hosts = [
    { name: "http.server", host: await startProgram("python3", parameters, python) },
    ...(nginx === null ? [] : [{ name: "nginx", host: { port: other, [Symbol.asyncDispose]: () => nginx.stop() } }]),
  ];
  base = `http://127.0.0.1:${python}/share/`;
}, 600_000);

afterAll(async () => {
  await server?.close();
  for (const { host } of hosts ?? []) await host[Symbol.asyncDispose]();
  await released?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/**
 * Starts the server, and returns the researcher with the most datasets among those with a unique name. The tests hide this
 * person.
 */
async function someResearcher(): Promise<typeof hidden> {
  server = await serve(released.store, { contact: "scores@example.org" });
  const list = await (await fetch(`${server.url}/authors?sortBy=datasetCount&sortOrder=desc&limit=100`)).json();
  const { data } = researcherList.parse(list);
  const row = data.find(({ id, name }) => data.every((other) => other.id === id || !other.name.includes(name)));
  if (row === undefined) throw new Error("the release has no researcher");
  return row;
}

function publish(...options: readonly string[]): Promise<Ended> {
  const target = ["--store", released.store.root, "--to", join(folder, "share"), "--site", PUBLIC];
  return runCommand(["release", "publish", ...target, ...options], {
    environment: { SHARE_CONTACT: "scores@example.org", SHARE_LOG_LEVEL: "debug" },
  });
}

/** Returns the text of every file of the static site by its path. The files of the release itself are left out. */
async function siteFiles(): Promise<ReadonlyMap<string, string>> {
  const root = join(folder, "share");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const own = paths.filter((path) => !/^(?:releases|current)\//.test(path.slice(root.length + 1)));
  const texts = own.map(async (path) => [path.slice(root.length + 1), await readFile(path, "utf8")] as const);
  return new Map(await Promise.all(texts));
}

const readListsData = (): ListsData => {
  const text = files.get("lists-data.js") ?? "";
  return JSON.parse(JSON.parse(text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"))));
};

const pages = () => [...files].filter(([name]) => name.endsWith(".html"));
/** Returns the words in the main part of a page, in order and without URLs. */
function wordsIn(page: string): string[] {
  const main = page.slice(page.indexOf("<main"), page.indexOf("</main>"));
  return main
    .replace(/<(script|style)\b.*?<\/\1>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/https?:\/\/\S+/g, " ")
    .split(/[^\p{L}\p{N}]+/u);
}

const linksIn = (text: string) => [...text.matchAll(/ (?:href|src|data-live)="([^"]*)"/g)].map(([, link = ""]) => link);

describe("the static site", () => {
  test("the static site has a page, a JSON file and badges for every dataset, all pages of the lists, and its scripts", () => {
    const names = [...files.keys()];
    const views = ["index", "datasets", "researchers", "repositories", "affiliations", "funders", "signals", "help"];
    for (const name of [...views, "history", "check", "privacy", "docs/tables"])
      expect(names).toContain(`${name}.html`);
    expect(names).toEqual(expect.arrayContaining(["datasets/~2.html", "datasets.csv", "site.js", "style.css"]));
    const datasets = names.filter((name) => /^datasets\/r[0-9a-f]{24}\.html$/.test(name));
    const { scored, insufficient, failed } = released.receipt.coverage;
    expect(datasets).toHaveLength(scored + insufficient + failed);
    for (const name of datasets) {
      const id = name.slice("datasets/".length, -".html".length);
      const beside = [`records/${id}.json`, `widgets/datasets/${id}/badge.svg`, `widgets/datasets/${id}/badge.json`];
      expect(names).toEqual(expect.arrayContaining(beside));
    }
  });

  test("the progress of the static site has no total, because the program finds further pages until the end", () => {
    expect(steps.length).toBeGreaterThan(100);
    expect(steps.filter((line) => !line.includes('"total":null'))).toEqual([]);
  });

  test("every link of the static site leads to an existing file and element, on plain file servers and below a path", async () => {
    const targets = new Map<string, string>();
    for (const [name, text] of pages()) {
      for (const link of linksIn(text)) {
        const url = new URL(link.replaceAll("&amp;", "&"), new URL(name, PUBLIC));
        if (url.origin !== new URL(PUBLIC).origin) continue;
        expect(url.href.startsWith(PUBLIC), `${name}: ${link}`).toBe(true);
        targets.set(url.href.slice(PUBLIC.length), name);
      }
    }
    expect(targets.size).toBeGreaterThan(1000);
    const agent = keptConnection();
    for (const { name: host, host: program } of hosts) {
      const texts = new Map<string, string>();
      for (const [target, from] of targets) {
        const [path = "", id = ""] = target.split("#");
        if (!texts.has(path)) {
          const { status, text } = await ask(program.port, `/share/${path}`, { agent });
          expect([host, from, target, status]).toEqual([host, from, target, 200]);
          texts.set(path, text);
        }
        const isThere = id === "" || texts.get(path)?.includes(` id="${decodeURIComponent(id)}"`);
        expect([host, from, target, isThere]).toEqual([host, from, target, true]);
      }
    }
    agent.destroy();
  });

  test("the static site has neither forms that need a server nor links to pages that only a server has, such as /me", () => {
    for (const [name, written] of files) {
      // Only the 404 page has absolute links, because it is served at any path.
      const text = name === "404.html" ? written.replaceAll('="/share/', '="') : written;
      expect(/[0-9a-f]{12}\.invalid/.test(text), name).toBe(false);
      if (!name.endsWith(".html")) continue;
      for (const [form] of text.matchAll(/<form[^>]*>/g))
        expect([name, form]).toEqual([
          name,
          expect.stringMatching(/ data-draft| action="[./]*(?:datasets|researchers)\.html"/),
        ]);
      expect(/ method="post"| data-server/.test(text), name).toBe(false);
      for (const link of linksIn(text)) expect(link, name).not.toMatch(/^\/|^(?:\.\.\/)*(?:me|sign-in|find|compare)\b/);
    }
  });

  test("the static site has the badge of each DOI in a folder named after the DOI, with a page that redirects to the dataset", () => {
    const records = [...files].flatMap(([name, text]) =>
      /^records\/r[0-9a-f]{24}\.json$/.test(name) ? [recordDetail.parse(JSON.parse(text))] : [],
    );
    const plain = records.filter(({ doi }) => doi !== null && /^[a-z0-9._/-]+$/.test(doi));
    const once = plain.filter(({ doi }) => records.filter((other) => other.doi === doi).length === 1);
    expect(once.length).toBeGreaterThan(30);
    for (const { id, doi } of once) {
      for (const name of ["badge.svg", "badge.json"]) {
        expect(files.get(`dois/${doi}/${name}`)).toBe(files.get(`widgets/datasets/${id}/${name}`));
      }
      const page = files.get(`dois/${doi}/dataset.html`);
      expect(page).toContain(`<link rel="describedby" type="application/json" href="${PUBLIC}records/${id}.json">`);
      expect(page).toMatch(new RegExp(`url=(?:\\.\\./)+datasets/${id}\\.html"`));
    }
  });

  test.each([
    ["10.5072/Zenodo.17", "dois/10.5072/zenodo.17"],
    ["10.1002/(sici)1<2:aid>3;4", "dois/10.1002/=28sici=291=3C2=3Aaid=3E3=3B4"],
    ["10.5072/../../a", "dois/10.5072/=2E./=2E./a"],
    ["10.5072//a/", "dois/10.5072/=/a/="],
    ["10.5072/a/badge.svg", "dois/10.5072/a/=badge.svg"],
    ["10.5072/100%", "dois/10.5072/100=25"],
    ["10.5072/\ud800", "dois/10.5072/=EF=BF=BD"],
  ])("the static site has the badge of the DOI %s in the folder %s", (doi, folder) => {
    expect(doiFolder(doi)).toBe(folder);
  });

  test("about 200 pages of the static site have the text of the server's pages, without the parts that need a server", async () => {
    const shared = pages().filter(([name]) => !/^(?:404|index|check|privacy|researchers)\.html$|^dois\/|~/.test(name));
    const step = Math.max(1, Math.floor(shared.length / 200));
    const chosen = shared.filter(([name], index) => index % step === 0 || !name.includes("/"));
    expect(chosen.length).toBeGreaterThan(150);
    const faults: string[] = [];
    for (const [name, text] of chosen) {
      const path = name.replace(/^index\.html$|\.html$/, "").replaceAll("=", "%");
      const response = await fetch(new URL(`/${path}`, server.url), { headers: { accept: "text/html" } });
      const page = await response.text();
      if (page.includes(hidden.name)) continue;
      const [own, theirs] = [wordsIn(text), wordsIn(page)];
      let next = 0;
      for (const word of theirs) if (word === own[next]) next += 1;
      if (next < own.length || own.length < theirs.length / 2)
        faults.push(`${name}: ${own.length} of ${theirs.length} words: ${own.slice(next - 3, next + 5).join(" ")}`);
    }
    expect(faults).toEqual([]);
  });

  test("the static site uses its public URL in canonical links, metadata, snippets and feeds", () => {
    const [name = "", text = ""] = pages().find(([each]) => each.startsWith("datasets/r")) ?? [];
    expect(text).toContain(`<link rel="canonical" href="${PUBLIC}${name}">`);
    expect(text).toContain(`<meta property="og:url" content="${PUBLIC}${name}">`);
    expect(text).toContain(`${PUBLIC}widgets/${name.slice(0, -".html".length)}/badge.svg`);
    expect(files.get("history.atom")).toContain(`${PUBLIC}history/sha256-`);
  });

  test("the static site has pages only for researchers with an ORCID iD or two datasets, and links the others to their dataset", () => {
    const { researchers } = readListsData();
    const others = researchers.filter(({ orcid, datasetCount }) => orcid === null && datasetCount === 1);
    expect(others.length).toBeGreaterThan(0);
    expect(others.length).toBeLessThan(researchers.length);
    const without = new Set(others.map(({ slug }) => slug));
    for (const { slug } of researchers)
      expect([slug, files.has(`researchers/${slug}.html`)]).toEqual([slug, !without.has(slug)]);
    const [{ id, name } = { id: "", name: "" }] = others;
    const address = `datasets.html?author=${id}`;
    expect(pages().some(([page, each]) => page.startsWith("datasets/r") && each.includes(`"../${address}"`))).toBe(
      true,
    );
    const list = listMarkup(readListsData(), "datasets", new URLSearchParams({ author: id }));
    expect(list).toContain(name);
    expect(list).toContain("<strong>1 dataset</strong>");
  });

  test("the static site has a 404 page whose links work at any path, and a sitemap of its pages", () => {
    const links = linksIn(files.get("404.html") ?? "").filter((link) => !/^(?:#|[a-z]+:)/.test(link));
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect(link).toMatch(/^\/share\//);
    const listed = (files.get("sitemap.txt") ?? "").trimEnd().split("\n");
    const views = pages().filter(([name]) => name !== "404.html" && !name.startsWith("dois/"));
    expect(listed.sort()).toEqual(views.map(([name]) => `${PUBLIC}${name}`).sort());
  });

  test("the static site contains no hidden researcher, and tells people how to ask to be hidden", () => {
    for (const [name, text] of files) {
      expect([name, text.includes(hidden.slug), text.includes(hidden.name)]).toEqual([name, false, false]);
    }
    expect(files.get("privacy.html")).toContain('href="mailto:scores@example.org"');
  });

  test("a static site is not published from a release that names a hidden researcher, unless forced, and replaces an earlier copy completely", async () => {
    const rejected = await publish("--exclude-researchers", join(folder, "hidden.txt"));
    expect([rejected.exitCode, rejected.stderr]).toEqual([
      1,
      expect.stringContaining("names 1 researcher who opted out"),
    ]);
    const before = await siteFiles();
    const stale = join(folder, "share/datasets/stale.html");
    await writeFile(stale, "");
    const killed = join(folder, "share/.site-killed");
    await mkdir(killed);
    await writeFile(join(killed, "index.html"), "");
    const again = await publish("--exclude-researchers", join(folder, "hidden.txt"), "--force", "again");
    expect(again.exitCode).toBe(0);
    expect([...(await siteFiles()).keys()].sort()).toEqual([...before.keys()].sort());
  }, 300_000);
});

describe("the lists of the static site", () => {
  const idsIn = (text: string) => [...new Set([...text.matchAll(/datasets\/(r[0-9a-f]{24})/g)].map(([, id]) => id))];

  test.each([
    "search=temperature",
    "repository=zenodo&order=score desc",
    "order=shareOfCap desc",
    "publishedFrom=2015&publishedUntil=2020-06&order=pubDate asc",
    "signals=E1:absent,S1:passed&order=shareOfCap asc",
    "minScore=20&maxScore=40&order=title asc",
    "license=CC-BY-4.0&page=2",
    "source=clinicaltrials&order=title desc",
    "countryCode=NOR&order=title asc",
    "ror=https://ror.org/090yvad85&countryCode=USA",
    "funder=fund for ocean research&order=pubDate asc",
    "limit=50&page=2",
  ])("the lists of the static site find the same rows as the server, in the same order: %s", async (query) => {
    const parameters = new URLSearchParams(query);
    const page = await (
      await fetch(`${server.url}/datasets?${parameters}`, { headers: { accept: "text/html" } })
    ).text();
    const main = page.slice(page.indexOf("<main"));
    const own = listMarkup(readListsData(), "datasets", parameters);
    expect(idsIn(own)).toEqual(idsIn(main));
    expect(own).toContain(/<strong>[\d,]+ datasets?<\/strong>/.exec(main)?.[0] ?? "no number");
    expect(own).not.toMatch(/ (?:href|action)="\//);
  });

  test("the lists of the static site also find researchers, repositories and institutions, and accept a DOI as a link", () => {
    const data = readListsData();
    const found = (search: string) => listMarkup(data, "datasets", new URLSearchParams({ q: search }));
    const withPage = data.researchers.find(({ orcid, name }) => orcid !== null && !name.includes("&"));
    expect(found(withPage?.name ?? "")).toContain(`href="researchers/${withPage?.slug}.html"`);
    for (const kind of ["Repositories", "Institutions", "Funders"]) {
      const place = data.places.find(({ group, name }) => group === kind && /^[\w ]+$/.test(name));
      expect([kind, found(place?.name ?? "").includes(`href="${place?.file}"`)]).toEqual([kind, true]);
      expect([kind, files.has(place?.file ?? "")]).toEqual([kind, true]);
    }
    const dataset = data.datasets.find(({ row: { doi } }) => doi !== null);
    expect(idsIn(found(`https://doi.org/${dataset?.row.doi}.`))).toEqual([dataset?.row.id]);
  });

  test("the facets of the static site have the counts of the server's facets", async () => {
    const page = await (await fetch(`${server.url}/datasets`, { headers: { accept: "text/html" } })).text();
    const facetIn = (text: string, heading: string) => {
      const [, part = ""] = text.split(`<h2>${heading}</h2>`);
      return [...part.slice(0, part.indexOf("</section>")).matchAll(/<bdi>([^<]*)<\/bdi><\/a> <span>([\d,]+)/g)].map(
        ([, value, count]) => `${value} ${count}`,
      );
    };
    const own = listMarkup(readListsData(), "datasets", new URLSearchParams());
    for (const heading of [
      "Missing signal",
      "Passed signal",
      "Year of publication",
      "Repository",
      "Licence",
      "Access",
      "Country",
      "Institution by ROR id",
      "Funder",
    ]) {
      expect(facetIn(own, heading).length).toBeGreaterThan(0);
      expect([heading, facetIn(own, heading)]).toEqual([heading, facetIn(page, heading)]);
    }
  });
});

describe.skipIf(CHROMIUM === null)("the static site in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  async function opened(
    url: string,
    window: BrowserContextOptions = {},
  ): Promise<{ readonly page: Page; readonly said: readonly string[] }> {
    const page = await (await openContext(browser, window)).newPage();
    const said: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") said.push(message.text());
    });
    await page.goto(url);
    return { page, said };
  }

  /** Lists one page of each kind. Only `make soak` checks every kind, because most have the same markup as on the server. */
  const kinds = () =>
    [
      ...new Map(pages().map(([name]) => [name.includes("/") ? name.replace(/[^/]*$/, "") : name, name])).values(),
    ].filter((name) => IS_SOAK || !name.includes("/") || name.startsWith("datasets/r"));

  test("the accessibility checker finds nothing on the static site, and no page violates its security policy", async () => {
    const names = kinds().filter((name) => !name.startsWith("dois/"));
    for (const [index, name] of names.entries()) {
      const { page, said } = await opened(`${base}${name}`, WINDOWS[index % WINDOWS.length]);
      expect([name, await violationsOn(page), await measureOverflow(page), said]).toEqual([name, [], 0, []]);
      await page.context().close();
    }
  });

  /** Clicks the first link in the main part of a page that has this text. */
  const follow = (page: Page, name: string | RegExp) =>
    page.locator("main").getByRole("link", { name }).first().click();
  const heading = (page: Page) => page.locator("h1").innerText();
  const find = async (page: Page, text: string) => {
    await page.fill(".find input", text);
    await page.press(".find input", "Enter");
    await page.locator("main p[role=status]").first().getByText("for “").waitFor();
  };
  const person = () => readListsData().researchers.find(({ orcid }) => orcid !== null) ?? { name: "", orcid: null };
  const withDoi = () =>
    readListsData().datasets.find(({ row }) => /^10\.\d+\/[\w./-]+$/.test(row.doi ?? "") && row.score !== null)?.row;

  /** Tasks of visitors, each from the start page to the result. */
  const errands: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
    [
      "a researcher finds their page by name, with the S-Index",
      async (page) => {
        await find(page, person().name);
        await follow(page, person().name);
        expect(await heading(page)).toContain(person().name);
        expect(await page.locator("main").innerText()).toContain("S-Index");
      },
    ],
    [
      "a researcher finds a dataset by the link of its DOI, and the steps that add points",
      async (page) => {
        await find(page, `https://doi.org/${withDoi()?.doi}`);
        await page.locator("tbody a").first().click();
        await page.locator("#signals").waitFor();
        expect(await page.locator("main").innerText()).toContain(withDoi()?.doi ?? "no DOI");
      },
    ],
    [
      "a depositor checks a draft",
      async (page) => {
        await follow(page, /Check a d/);
        // On a phone, the form is folded.
        const fold = page.locator("#form > summary");
        if (await fold.isVisible()) await fold.click();
        await page.fill("#f-title", "Heights of tides");
        await page.locator("#live:visible .score").waitFor();
      },
    ],
    [
      "a manager finds the commonest fault of a repository, and the datasets that have it",
      async (page) => {
        await follow(page, /repositories/);
        await page.locator("main tbody a:visible").first().click();
        const name = await heading(page);
        await follow(page, /^[\d,]+ datasets?$/);
        await page.locator(".chips li").first().waitFor();
        expect(await page.locator(".chips").innerText()).toContain(name);
        expect(await page.locator("main tbody tr").count()).toBeGreaterThan(0);
      },
    ],
    [
      "a manager copies the badge of a dataset",
      async (page) => {
        await page.goto(`${base}datasets/${withDoi()?.id}.html#share`);
        const snippet = await page.locator("pre", { hasText: "badge.svg" }).first().innerText();
        const [address = ""] = /https:[^\s")]*badge\.svg/.exec(snippet) ?? [];
        expect(files.has(address.slice(PUBLIC.length))).toBe(true);
      },
    ],
    [
      "a librarian sees an institution with its datasets",
      async (page) => {
        await follow(page, /institution/i);
        await page.locator("main tbody a, main li a").first().click();
        expect(await page.locator("main a[href*='datasets/r']").count()).toBeGreaterThan(0);
      },
    ],
    [
      "a librarian counts the datasets under a licence",
      async (page) => {
        await follow(page, "datasets");
        await page.locator("#facets section", { hasText: "Licence" }).locator("a").first().dispatchEvent("click");
        await page.locator(".chips li").first().waitFor();
        expect(await page.locator("main p[role=status] strong").first().innerText()).toMatch(/^[\d,]+ datasets?$/);
      },
    ],
    [
      "a journalist compares countries",
      async (page) => {
        await page.getByRole("link", { name: "Countries" }).last().click();
        expect(await page.locator("main tbody tr").count()).toBeGreaterThan(1);
      },
    ],
    [
      "a journalist downloads the table behind the figures",
      async (page) => {
        await follow(page, "you can verify every point");
        await page.locator("main a[href*='history/sha256-']").first().click();
        const table = await page.locator("main a[href$='.parquet']").first().getAttribute("href");
        expect((await fetch(new URL(table ?? "", page.url()))).status).toBe(200);
      },
    ],
    [
      "somebody learns how to have their name removed",
      async (page) => {
        await page.getByRole("link", { name: "Privacy" }).last().click();
        expect(await page.locator("main a[href^='mailto:']").count()).toBeGreaterThan(0);
      },
    ],
  ];

  test.each(
    errands.flatMap(([name, walk], index) =>
      WINDOWS.filter((_, each) => IS_SOAK || each === index % WINDOWS.length).map(
        (window) => [name, window.viewport.width, walk, window] as const,
      ),
    ),
  )("a visitor of the static site can do this: %s, in a window of %i px", async (_name, _width, walk, window) => {
    const { page, said } = await opened(`${base}index.html`, window);
    await walk(page);
    expect(said).toEqual([]);
    await page.context().close();
  });

  test("the static site scores a draft on its check page", async () => {
    const { page, said } = await opened(`${base}check.html`);
    await page.fill("#f-title", "Heights");
    await page.waitForSelector("#live:visible .score");
    await page.getByRole("button", { name: "Check this draft" }).click();
    expect(page.url()).toBe(`${base}check.html`);
    expect(said).toEqual([]);
    await page.context().close();
  });

  test.each([
    ["a file server", () => base],
    ["a folder", () => pathToFileURL(join(folder, "share/")).href],
  ])("the lists of the static site can be searched and filtered if the site is opened from %s", async (_name, at) => {
    const { page, said } = await opened(`${at()}index.html`);
    const status = () => page.locator("main p[role=status]").first();
    await page.fill(".find input", "temperature");
    await page.getByRole("button", { name: "Check", exact: true }).first().click();
    await status().getByText("“temperature”").waitFor();
    expect(page.url()).toBe(`${at()}datasets.html?q=temperature`);
    await page.goto(`${at()}datasets.html`);
    const all = await status().locator("strong").innerText();
    await page.locator("#facets a").first().dispatchEvent("click");
    await page.locator(".chips li").waitFor();
    expect(await status().locator("strong").innerText()).not.toBe(all);
    await page.goBack();
    await page.locator(".chips").waitFor({ state: "detached" });
    expect(await status().locator("strong").innerText()).toBe(all);
    await page.goto(`${at()}researchers.html`);
    await page.fill("#f-search", "no such name");
    await page.press("#f-search", "Enter");
    await status().getByText("0 researchers").waitFor();
    expect(said).toEqual([]);
    await page.context().close();
  });

  test("the static site works if it is opened from a folder", async () => {
    const { page, said } = await opened(pathToFileURL(join(folder, "share/index.html")).href);
    await page.getByRole("link", { name: "Datasets", exact: true }).first().click();
    await page.locator("tbody a").first().click();
    await page.waitForSelector("#signals");
    expect(await page.evaluate("getComputedStyle(document.body).margin")).toBe("0px");
    expect(said).toEqual([]);
    await page.context().close();
  });
});
