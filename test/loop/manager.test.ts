/**
 * A repository manager repairs one systematic fault, as one task in a browser: sees on the page of the repository what to fix
 * first, looks at a dataset and at the facts in the wrong place, writes the updates, applies them at a simulated repository,
 * checks one dataset again, and sees the effect in the next release, with an email. If the variable FILM names a folder, each
 * step is saved there as a picture, and there are 2,000 datasets instead of 150.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ARCHIVE, tideTable } from "../repair/tide-tables.ts";
import { makeRecordId } from "../server/test-store.ts";
import { tokenIn } from "../sign-in/mailbox.ts";
import { CHROMIUM } from "../site/chromium.ts";
import { commandHost } from "../support/command-host.ts";
import { type Errand, FILM, openErrand } from "./errand.ts";

const DATASETS = FILM === undefined ? 150 : 2000;
/** Number of datasets with all keywords in one entry, which is the fault. The other third have one entry for each keyword. */
const FAULTY = Math.floor((2 * DATASETS) / 3);
const DATASET = "10.1000/tides.1";

const folder = mkdtempSync(join(tmpdir(), "share-manager-"));
const given = join(folder, "given");
const store = join(folder, "store");
const host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));

type TideTable = ReturnType<typeof tideTable>;

async function run(...parameters: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await host.run([...parameters, "--store", store]);
  expect([exitCode, exitCode === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  return stripVTControlCharacters(stdout);
}

async function release(records: readonly TideTable[]): Promise<void> {
  mkdirSync(given, { recursive: true });
  writeFileSync(join(given, "records.ndjson"), records.map((record) => JSON.stringify(record)).join("\n"));
  await run("harvest", "datacite", "--from", given);
  await run("build");
}

describe.skipIf(CHROMIUM === null)("a manager who repairs a repository", () => {
  const records = Array.from({ length: DATASETS }, (_, i) => tideTable(i));
  let errand: Errand;
  let page: Page;

  beforeAll(async () => {
    await release(records);
    errand = await openErrand(store, { [`/dois/${DATASET}`]: { data: records[1] } });
    page = errand.page;
  }, 600_000);

  afterAll(async () => {
    await errand?.[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = (path: string) => errand.at(path);
  const repository = () => at(`/repositories/${encodeURIComponent(ARCHIVE)}`);
  const text = async () => (await page.locator("main").innerText()).replace(/\s+/g, " ");

  /** Returns the score on the page; its lower end if it is a range. */
  const total = async () => Number((await page.locator(".score .big").first().innerText()).split(" ")[0]);

  const scene = (name: string) => errand.scene(name);

  test("a repository manager sees what to fix first, writes the updates, and sees their effect in the next release and an email", async () => {
    const count = (n: number) => n.toLocaleString("en-GB");
    await page.goto(at("/"));
    await page.locator('main input[name="q"]').fill(ARCHIVE);
    await page.keyboard.press("Enter");
    await page.waitForURL(repository());
    expect(await text()).toContain(`${count(FAULTY)} datasets can be repaired`);
    await scene("what-to-fix-first");

    // The manager downloads the facts in the wrong place, and looks at one dataset.
    await page.getByText("can be repaired without asking anybody").click();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "the CSV file has each fact with its field" }).click();
    const facts = readFileSync(await (await download).path(), "utf8")
      .trim()
      .split("\r\n");
    expect(facts).toHaveLength(3 * FAULTY + 1);
    await page.goto(at(`/datasets/${makeRecordId(`datacite/${DATASET}`)}`));
    const before = await total();
    await scene("one-dataset");

    // The manager writes the updates of all datasets, and the simulated repository applies them.
    const updates = join(folder, "updates");
    const told = await run("fix", "--repository", ARCHIVE, "--output", updates);
    expect(told).toContain(`${FAULTY} of ${DATASETS} datasets can be repaired, for ${4 * FAULTY} points together.`);
    if (FILM !== undefined)
      writeFileSync(
        join(FILM, "command.txt"),
        told + readFileSync(join(updates, "changes.csv"), "utf8").slice(0, 2000),
      );
    const lines = readFileSync(join(updates, "updates.jsonl"), "utf8").trim().split("\n");
    const byDoi = new Map(
      lines.map((line) => JSON.parse(line)).map(({ doi, update }) => [doi, update.data.attributes]),
    );
    expect(byDoi.size).toBe(FAULTY);
    const repaired = records.map((record) => {
      const attributes = { ...record.attributes, ...byDoi.get(record.id), updated: "2026-10-02T00:00:00Z" };
      return { ...record, attributes };
    });

    // The manager checks one of the datasets at once.
    errand.upstream.answers.set(`/dois/${DATASET}`, { data: repaired[1] });
    await page.getByRole("button", { name: "Check it now" }).click();
    await page.waitForURL(/\/check/);
    await page.locator("main .score").first().waitFor();
    expect(await total()).toBe(before + 4);
    await scene("checked");

    // The manager signs in and follows the repository.
    await page.goto(at("/sign-in"));
    await page.fill("#f-email", "manager@example.org");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=We have sent a link");
    await page.goto(at(`/auth/magic#token=${tokenIn(await errand.mailbox.next())}`));
    await page.keyboard.press("Enter");
    await page.waitForURL(at("/me"));
    await page.goto(repository());
    await page.getByRole("button", { name: "Save to your account" }).click();
    await page.getByRole("button", { name: "Saved" }).waitFor();
    await page.goto(at("/me/saved"));
    await page.getByRole("button", { name: "Send me emails" }).click();
    await page.getByRole("button", { name: "Stop these emails" }).waitFor();
    await scene("followed");

    // The next release shows the effect, and an email says so.
    await release(repaired);
    const mail = await errand.mailbox.next();
    expect(mail.to).toEqual(["manager@example.org"]);
    const said = (mail.email.text ?? "").replace(/\s+/g, " ");
    if (FILM !== undefined) writeFileSync(join(FILM, "mail.txt"), mail.email.text ?? "");
    expect(said).toContain(
      `Your saved items: - ${ARCHIVE}. ${count(FAULTY)} datasets changed: ${count(FAULTY)} up, 0 down. Largest changes:`,
    );
    await expect
      .poll(async () => {
        await page.goto(repository());
        return text();
      })
      .toContain(`${count(FAULTY)} datasets changed: ${count(FAULTY)} up, 0 down`);
    expect(await text()).not.toContain("can be repaired");
    await page.locator("#trend summary").click();
    expect(await page.locator("#trend tbody tr").last().innerText()).toMatch(/\+2\.67$/);
    await page.locator("summary", { hasText: "Since the previous release" }).click();
    await page.locator("summary", { hasText: "Largest changes" }).click();
    await scene("next-release");
    await page.goto(at("/history/latest"));
    await scene("changes-of-the-release");
  }, 900_000);
});
