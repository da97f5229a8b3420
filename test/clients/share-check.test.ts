/**
 * Tests the element <share-check> beside the deposit forms of InvenioRDM and Dataverse, on pages with strict security policies.
 */

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, measureOverflow, openBrowser, openContext, violationsOn } from "../site/chromium.ts";
import { builtScore } from "../support/built-score.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

const INVENIO_RDM = {
  "metadata.title": "Heights of the tide at an invented gauge",
  "metadata.publication_date": "2026-11-01",
  "metadata.creators.0.person_or_org.name": "Carberry, Josiah",
  "metadata.creators.0.person_or_org.identifiers.0.identifier": "0000-0002-1825-0097",
  "metadata.description":
    "Heights of the tide, measured every ten minutes at an invented gauge, in metres above the datum. ".repeat(4),
  "metadata.rights.0.id": "cc-by-4.0",
  "metadata.subjects": "tides, sea level, gauge",
  "metadata.funding.0.funder.name": "Department of Invented Seas",
  "metadata.funding.0.award.number": "IS-2024-7",
  "metadata.related_identifiers.0.identifier": "10.1000/tides",
  "metadata.references.0.reference": "https://doi.org/10.1000/cited",
};

const DATAVERSE = {
  "citation.title": "Heights of the tide at an invented gauge",
  "citation.author.0.authorName": "Carberry, Josiah",
  "citation.author.0.authorAffiliation": "Brown University",
  "citation.author.0.authorIdentifier": "0000-0002-1825-0097",
  "citation.dsDescription.0.dsDescriptionValue": INVENIO_RDM["metadata.description"],
  "citation.keyword.0.keywordValue": "tides",
  "citation.keyword.1.keywordValue": "sea level",
  "citation.keyword.2.keywordValue": "gauge",
  "citation.publication.0.publicationCitation": "A paper on tides",
  "citation.publication.0.publicationIDNumber": "10.1000/tides",
  "citation.contributor.0.contributorName": "Doe, Jane",
  "citation.contributor.0.contributorType": "Data Collector",
  "citation.grantNumber.0.grantNumberAgency": "Department of Invented Seas",
  "citation.grantNumber.0.grantNumberValue": "IS-2024-7",
  "citation.otherReferences.0.value": "https://doi.org/10.1000/cited",
};

describe.skipIf(CHROMIUM === null)("the element <share-check>", () => {
  let server: Server;
  let base = "";
  let browser: Browser;
  let workers = "worker-src 'self';";

  beforeAll(async () => {
    await using _built = await builtScore();
    const folders = [join(REPOSITORY, "score/dist/package"), join(REPOSITORY, "score/element")];
    server = createServer((request, response) => {
      const name = /^\/([a-z-]+\.(html|js|css))$/.exec(request.url ?? "");
      const path = folders.map((folder) => join(folder, name?.[1] ?? "none")).find(existsSync);
      response.writeHead(path === undefined ? 404 : 200, {
        "content-type": TYPES[name?.[2] ?? ""] ?? "text/plain",
        "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; ${workers}`,
      });
      response.end(path === undefined ? "" : readFileSync(path));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    base = `http://localhost:${typeof address === "object" ? address?.port : ""}`;
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  async function opened(page: string, width = 1280): Promise<Page> {
    const opened = await (await openContext(browser, { viewport: { width, height: 900 } })).newPage();
    await opened.goto(`${base}/${page}`);
    return opened;
  }

  /** Returns the result in the newest `share-check` event of the page. */
  async function readDraft(page: Page): Promise<{ total: number; cap: number; passed: string[]; source: string }> {
    const draft = await page.evaluate("globalThis.draft");
    return draft as never;
  }

  const watch = (page: Page) =>
    page.evaluate(`addEventListener("share-check", ({ detail }) => {
      const { record, source } = detail;
      const passed = record.signals.filter(({ state }) => state === "passed").map(({ id }) => id);
      globalThis.draft = { total: record.score?.total ?? 0, cap: record.cap, passed, source };
    })`);

  const PASSED = ["S1", "S2", "H1", "H2", "H4", "H5", "E1", "E2", "E3", "E4", "E5"];

  test.each([
    {
      name: "InvenioRDM",
      page: "inveniordm.html",
      source: "zenodo",
      fields: INVENIO_RDM,
      passed: [...PASSED, "A1", "A2", "A3"],
    },
    {
      name: "Dataverse",
      page: "dataverse.html",
      source: "dataverse",
      fields: DATAVERSE,
      passed: [...PASSED, "S3", "S4"],
    },
  ])(
    "<share-check> shows the score while the form of $name is filled in",
    async ({ page: file, source, fields, passed }) => {
      const page = await opened(file);
      const requests: string[] = [];
      page.on("request", (request) => requests.push(new URL(request.url()).pathname));
      await watch(page);
      const scheme = page.locator('[name$="authorIdentifierScheme"]');
      if ((await scheme.count()) > 0) await scheme.selectOption("ORCID");
      const totals: number[] = [];
      for (const [name, value] of Object.entries(fields)) {
        await page.evaluate("globalThis.draft = undefined");
        await page.fill(`[name="${name}"]`, value);
        await expect.poll(() => readDraft(page), { timeout: 30_000 }).toBeDefined();
        totals.push((await readDraft(page)).total);
      }
      const done = await readDraft(page);
      expect(done.source).toBe(source);
      expect(done.passed).toEqual(expect.arrayContaining(passed));
      expect(totals.toSorted((one, other) => one - other)).toEqual(totals);
      expect(totals.at(-1)).toBeGreaterThanOrEqual(44);
      const element = page.locator("share-check");
      expect(await element.getByRole("status").innerText()).toMatch(/\d+ (?:to \d+ )?of \d+ possible points/);
      expect(await element.locator("ol li").count()).toBeGreaterThan(0);
      expect(requests.filter((path) => path !== "/share-check.js")).toEqual([]);
      expect(page.workers()).toHaveLength(1);
      expect(await violationsOn(page)).toEqual([]);
      await page.context().close();
    },
  );

  test("<share-check> fits a screen of 390 pixels", async () => {
    const page = await opened("dataverse.html", 390);
    await page.fill('[name="citation.title"]', "Heights");
    await page.locator("share-check ol li").first().waitFor();
    expect(await measureOverflow(page)).toBeLessThanOrEqual(0);
    await page.context().close();
  });

  test("<share-check> scores without a worker if the Content-Security-Policy of the page forbids workers", async () => {
    workers = "worker-src 'none';";
    const page = await opened("dataverse.html");
    workers = "worker-src 'self';";
    await page.fill('[name="citation.title"]', "Heights");
    await page.locator("share-check ol li").first().waitFor();
    expect(page.workers()).toHaveLength(0);
    await page.context().close();
  });

  test("<share-check> shows text from the metadata without interpreting markup, and says why metadata have no score", async () => {
    const page = await opened("dataverse.html");
    await page.evaluate(`(() => {
      const element = document.createElement("share-check");
      element.id = "own";
      document.body.append(element);
      element.metadata = "@article{nemo,";
    })()`);
    await page.locator("#own").getByRole("status").filter({ hasText: "BibTeX" }).waitFor();
    await page.evaluate(
      `document.querySelector("#own").metadata = { title: "<img src=x onerror=alert(1)>", upload_type: "dataset" }`,
    );
    await page.locator("#own").getByText("possible points").waitFor();
    expect(await page.locator("#own img").count()).toBe(0);
    await page.evaluate(`document.querySelector("#own").remove()`);
    await page.context().close();
  });
});
