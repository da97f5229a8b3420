/**
 * The title, logo, colour, texts and locale that an operator sets, which the server and the static site show in the same way.
 */

import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeAccent } from "../../web/components/accent.ts";
import { drawPicture, pictureRecord } from "../../web/components/share-picture.ts";
import { listeningAddress } from "../cli/listening-address.ts";
import { ask } from "../server/ask.ts";
import { forgetAccounts, type ReleasedStore, releasedStore } from "../server/test-store.ts";
import { builtScore } from "../support/built-score.ts";
import { type CommandHost, commandHost } from "../support/command-host.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { CHROMIUM, measureOverflow, openBrowser, openContext, violationsOn } from "./chromium.ts";

/** The folder for screenshots, from SHARE_PICTURES. If it is undefined, the tests take no screenshots. */
const PICTURES = process.env.SHARE_PICTURES;

const TITLE = "Data quality & care, University of Graz";
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32"><rect width="64" height="32" rx="4" fill="#b3122f"/></svg>`;
const IMPRINT = `# Imprint and contact

University Library\\
Main Square 3\\
8010 Graz

Write to [the library](mailto:library@example.org) or <b>call us</b>. [A trick](javascript:alert).`;
const PRIVACY = "Our data protection officer answers within a month.";

let folder: string;
let released: ReleasedStore;
let host: CommandHost;
let environment: Readonly<Record<string, string>>;
let server: ReturnType<typeof startCommand>;
let address: string;

const path = (name: string) => join(folder, name);

beforeAll(async () => {
  await using _built = await builtScore();
  folder = await mkdtemp(join(tmpdir(), "share-face-"));
  host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
  for (const [name, text] of Object.entries({ "logo.svg": LOGO, "imprint.md": IMPRINT, "privacy.txt": PRIVACY })) {
    await writeFile(path(name), text);
  }
  await writeFile(
    path("settings.toml"),
    [
      `SHARE_TITLE = "${TITLE}"`,
      `SHARE_LOGO = '${path("logo.svg")}'`,
      'SHARE_COLOUR = "#B3122F"',
      'SHARE_CONTACT = "library@example.org"',
      `SHARE_IMPRINT = '${path("imprint.md")}'`,
      `SHARE_PRIVACY = '${path("privacy.txt")}'`,
      'SHARE_LOCALE = "de-AT"',
    ].join("\n"),
  );
  environment = { SHARE_CONFIG: path("settings.toml") };
  released = await releasedStore({});
  forgetAccounts(released.store);
  const target = ["--store", released.store.root, "--to", path("site"), "--site", "https://example.org/share/"];
  const published = await runCommand(["release", "publish", ...target], { environment });
  expect(published).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("a site of") });
  server = startCommand(["serve", "--port", "0", "--json", "--store", released.store.root], { environment });
  ({ address } = await listeningAddress(server));
}, 600_000);

afterAll(async () => {
  if (server !== undefined) {
    server.kill("SIGTERM");
    await once(server, "close");
  }
  await host?.[Symbol.asyncDispose]();
  await released?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const PLACES = [
  {
    name: "the server",
    read: async (view: string) => {
      const headers = { accept: "text/html" };
      return (await ask(Number(new URL(address).port), view === "index" ? "/" : `/${view}`, { headers })).text;
    },
  },
  {
    name: "the static site",
    read: (view: string) => readFile(join(path("site"), /\.\w+$/.test(view) ? view : `${view}.html`), "utf8"),
  },
] as const;

describe.each(PLACES)("the operator's settings on $name", ({ read }) => {
  test("the operator's title and logo are in the header, and the title is in page titles and feeds", async () => {
    const escaped = TITLE.replace("&", "&amp;");
    const [home, datasets, feed] = [await read("index"), await read("datasets"), await read("history.atom")];
    expect(home).toContain(`<title>${escaped}: How well are datasets shared?</title>`);
    expect(home).toContain(`<meta property="og:site_name" content="${escaped}">`);
    expect(datasets).toContain(`<title>Datasets – ${escaped}</title>`);
    for (const page of [home, datasets]) {
      expect(page).toMatch(
        new RegExp(`<a class="mark" href="[^"]+"><img src="/?logo\\.svg" alt=""> <span>${escaped}</span></a>`),
      );
      expect(page).toMatch(/<link rel="icon" type="image\/svg\+xml" href="\/?logo\.svg">/);
    }
    expect(feed).toContain(` – ${escaped}</title>`);
    expect(feed).toContain(`<author><name>${escaped}</name>`);
    expect(await read("logo.svg")).toBe(LOGO);
  });

  test("the operator's colour is used in light mode, and a lighter shade of it in dark mode", async () => {
    const style = await read("style.css");
    expect(style).toContain("@media screen{:root{--accent:#b3122f;");
    expect(style).toContain(`(prefers-color-scheme:dark){:root{--accent:${makeAccent("#b3122f").dark};`);
  });

  test("every page links to the imprint, which shows the operator's Markdown with its line breaks, but no HTML or scripts", async () => {
    expect(await read("index")).toMatch(/<a href="\/?imprint(?:\.html)?">Imprint<\/a>/);
    const page = await read("imprint");
    expect(page).toContain("<h1>Imprint and contact</h1>");
    expect(page).toContain("<p>University Library<br>Main Square 3<br>8010 Graz</p>");
    expect(page).toContain('<a href="mailto:library@example.org">the library</a> or &lt;b&gt;call us&lt;/b&gt;.');
    expect(page).not.toContain("javascript:");
    expect(page).toContain("A trick.");
  });

  test("the operator's privacy notice is shown before that of the program", async () => {
    const page = await read("privacy");
    expect(page.indexOf(PRIVACY)).toBeGreaterThan(0);
    expect(page.indexOf(PRIVACY)).toBeLessThan(page.indexOf("About researchers"));
  });

  test("the operator's locale is stated in the page, where the script that formats dates and figures reads it", async () => {
    expect(await read("index")).toContain('<html lang="en-GB" data-locale="de-AT">');
  });
});

test("the operator's logo cannot run scripts on the server, and the URL of a logo of the other type (PNG) returns 404", async () => {
  const { headers } = await fetch(new URL("/logo.svg", address));
  expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
  expect(headers.get("content-type")).toBe("image/svg+xml; charset=utf-8");
  expect((await fetch(new URL("/logo.png", address))).status).toBe(404);
});

test("an email with a sign-in link, and the page that the link opens, show the operator's title", async () => {
  const body = JSON.stringify({ email: "reader@example.org" });
  const headers = { "content-type": "application/json" };
  const reply = await fetch(new URL("/auth/magic/request", address), { method: "POST", headers, body });
  expect(reply.status).toBe(201);
  const mails = join(released.store.root, "mail");
  const listMails = async () => (await readdir(mails).catch(() => [])).filter((name) => name.endsWith(".eml"));
  await expect.poll(listMails).toHaveLength(1);
  const email = await PostalMime.parse(await readFile(join(mails, (await listMails())[0] ?? "")));
  expect([email.subject, email.from?.name]).toEqual([`Sign in to ${TITLE}`, TITLE]);
  expect(email.text).toContain(`Sign in to ${TITLE}, at ${new URL(address).origin.replace("127.0.0.1", "localhost")}`);
  expect(await (await fetch(new URL("/auth/magic", address))).text()).toContain(
    `<h1>Sign in to ${TITLE.replace("&", "&amp;")}</h1>`,
  );
});

test("the API reference has the header, the colour and the font of the operator's site", async () => {
  const reply = await fetch(new URL("/docs", address));
  const page = await reply.text();
  expect(page).toContain('<img src="/logo.svg" alt="">');
  const [, sheet = ""] = / href="(\/style\.css[^"]*)"/.exec(page) ?? [];
  const rules = await (await fetch(new URL(sheet, address))).text();
  expect(rules).toContain("--accent:#b3122f");
  expect(rules).toContain("font-family:Inter");
  const policy = reply.headers.get("content-security-policy");
  for (const allowed of ["style-src 'self'", "font-src 'self'"]) expect(policy).toContain(allowed);
});

test.each([
  { title: "Université de Zürich", drawn: "Université de Zürich" },
  { title: "数据质量", drawn: "SHARE" },
])(
  "a preview picture shows “SHARE” if its fonts lack letters of the title: “$title” is drawn as “$drawn”",
  ({ title, drawn }) => {
    const record = { score: null, scoreStatus: "failed", cap: 60, doi: null, identifier: "zenodo/1" } as const;
    expect(drawPicture({ title: "", ...pictureRecord(record), foot: null }, title)).toContain(`>${drawn}</text>`);
  },
);

describe("a wrong setting for the operator's site", () => {
  beforeAll(async () => {
    await writeFile(path("empty.md"), " \n");
    await writeFile(path("latin1.md"), Buffer.from("Universit\xE4t", "latin1"));
    await writeFile(path("large.svg"), LOGO.padEnd(256 * 1024 + 1));
    await writeFile(path("script.svg"), LOGO.replace("/></svg>", ' onload = "x()"/></svg>'));
    await writeFile(path("photo.jpg"), Buffer.from([0xff, 0xd8, 0xff]));
    await mkdir(path("folder"));
  });

  test.each([
    ["SHARE_TITLE", "x".repeat(41), "expected a name of at most 40 characters"],
    ["SHARE_TITLE", "two\nlines", "expected a name of at most 40 characters"],
    ["SHARE_TITLE", " ", "is empty"],
    ["SHARE_COLOUR", "red", "expected a colour such as #0b5a6e"],
    ["SHARE_COLOUR", "#ff0000", "Use a darker or lighter shade, such as #d90000 or #ff5454"],
    ["SHARE_LOCALE", "German", "expected a language tag (BCP 47) such as de-AT"],
    ["SHARE_LOCALE", "de_AT", "expected a language tag (BCP 47) such as de-AT"],
    ["SHARE_LOGO", "missing.svg", "cannot be read (ENOENT); correct its path or its permissions"],
    ["SHARE_LOGO", "large.svg", "has more than 262144 bytes; give a smaller file"],
    ["SHARE_LOGO", "script.svg", "export it as plain SVG, or as PNG"],
    ["SHARE_LOGO", "photo.jpg", "is neither a PNG nor an SVG"],
    ["SHARE_IMPRINT", "empty.md", "save it as Markdown in UTF-8"],
    ["SHARE_PRIVACY", "latin1.md", "save it as Markdown in UTF-8"],
    ["SHARE_PRIVACY", "folder", "cannot be read (EISDIR); correct its path or its permissions"],
  ])("%s = %j stops `serve` and `release publish`, and the message says what to do", async (name, given, says) => {
    const isFile = /LOGO|IMPRINT|PRIVACY/.test(name);
    const wrong = { ...environment, [name]: isFile ? path(given) : given };
    const store = ["--store", released.store.root];
    for (const command of [
      ["serve", "--port", "0", ...store],
      ["release", "publish", ...store, "--to", path("never"), "--site", "https://example.org/"],
    ]) {
      const { exitCode, stderr } = await host.run(command, { environment: wrong });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(name)]);
      expect(stderr).toContain(says);
    }
  });
});

describe.skipIf(CHROMIUM === null)("the operator's site in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  const views = () => [
    { name: "server", at: (view: string) => new URL(`/${view}`, address).href },
    {
      name: "static",
      at: (view: string) => pathToFileURL(join(path("site"), `${view === "" ? "index" : view}.html`)).href,
    },
  ];

  test.each([
    { width: 390, colorScheme: "light" },
    { width: 390, colorScheme: "dark" },
    { width: 1280, colorScheme: "light" },
    { width: 1280, colorScheme: "dark" },
  ] as const)(
    "the pages with the operator's settings fit into $width px in the $colorScheme theme, and the accessibility checker finds nothing",
    async ({ width, colorScheme }) => {
      const context = await openContext(browser, { viewport: { width, height: 900 }, colorScheme, locale: "en-GB" });
      const page = await context.newPage();
      for (const { name, at } of views()) {
        for (const view of ["", "imprint", "privacy", "repositories"]) {
          await page.goto(at(view));
          if (PICTURES !== undefined) {
            await page.screenshot({ path: join(PICTURES, `face-${name}-${view}-${width}-${colorScheme}.png`) });
          }
          expect([name, view, await measureOverflow(page)]).toEqual([name, view, 0]);
          expect([name, view, await violationsOn(page)]).toEqual([name, view, []]);
          expect(await page.evaluate("document.querySelector('.mark img').naturalWidth")).toBeGreaterThan(0);
        }
      }
      await context.close();
    },
    300_000,
  );

  test("dates and figures have the format of the operator's locale, not that of the browser", async () => {
    const context = await openContext(browser, { locale: "en-GB" });
    const page = await context.newPage();
    for (const { at } of views()) {
      await page.goto(at("repositories"));
      const day = await page.locator("footer time").first();
      expect(await day.innerText()).toBe(
        new Date(String(await day.getAttribute("datetime"))).toLocaleDateString("de-AT", {
          year: "numeric",
          month: "short",
          day: "numeric",
        }),
      );
      expect(await page.locator("td.num").allInnerTexts()).toContainEqual(
        expect.stringMatching(/^\d+,\d\d of \d+,\d\d$/),
      );
    }
    await context.close();
  });
});
