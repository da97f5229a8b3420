/**
 * A researcher improves a dataset, as one task in a browser: tries changes, downloads the repaired metadata, deposits them at a
 * simulated repository, checks again, follows the dataset, and sees the new score after the next release, with an email. If the
 * variable FILM names a folder, each step is saved there as a picture.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeRecordId } from "../server/test-store.ts";
import { tokenIn } from "../sign-in/mailbox.ts";
import { CHROMIUM } from "../site/chromium.ts";
import { builtScore } from "../support/built-score.ts";
import { commandHost } from "../support/command-host.ts";
import { type Errand, openErrand } from "./errand.ts";

const ID = 99_001_000;
const TITLE = "Heights of the tide at an invented gauge";

/** The metadata file of the researcher, with facts in the wrong fields, for example the ORCID iD in the name. */
const METADATA = {
  title: TITLE,
  upload_type: "dataset",
  access_right: "open",
  publication_date: "2026-05-01",
  description:
    "Heights of the tide, measured every ten minutes at an invented gauge. They belong to our paper https://doi.org/10.1000/tides and were made with the scripts in https://github.com/example/tides over two years. The data are licensed under CC BY 4.0.",
  creators: [{ name: "Carberry, Josiah (ORCID: 0000-0002-1825-0097)" }],
  keywords: ["tides; sea level; North Sea"],
};

/** Makes the Zenodo record that the simulated repository publishes for the metadata of a deposit. */
function makeRecord({ upload_type: _type, license, ...metadata }: Record<string, unknown>, updated: string) {
  return {
    ...{ id: ID, doi: `10.5281/zenodo.${ID}`, conceptrecid: String(ID - 1), created: "2026-05-01T08:00:00Z", updated },
    metadata: {
      ...metadata,
      resource_type: { type: "dataset", title: "Dataset" },
      ...(license === undefined ? {} : { license: { id: license } }),
    },
    files: [{ key: "README.md" }, { key: "tide-heights-2025.csv" }],
    stats: { views: 10, downloads: 2 },
  };
}

const folder = mkdtempSync(join(tmpdir(), "share-improve-"));
const given = join(folder, "given");
const store = join(folder, "store");
const host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));

async function release(record: object): Promise<void> {
  mkdirSync(given, { recursive: true });
  writeFileSync(join(given, "record.json"), JSON.stringify(record));
  for (const command of [["harvest", "zenodo", "--from", given], ["build"]]) {
    const { exitCode, stdout, stderr } = await host.run([...command, "--store", store]);
    expect([exitCode, exitCode === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  }
}

describe.skipIf(CHROMIUM === null)("a researcher who improves a dataset", () => {
  let errand: Errand;
  let page: Page;

  beforeAll(async () => {
    await using _built = await builtScore();
    // Sixty other datasets keep the average stable, because a gate stops a release whose average moves too much.
    await host.run(["fixtures", "--records", "60", "--seed", "3", "--source", "zenodo", "--store", store]);
    await release(makeRecord(METADATA, "2026-05-01T08:00:00Z"));
    errand = await openErrand(store, { [`/api/records/${ID}`]: makeRecord(METADATA, "2026-05-01T08:00:00Z") });
    page = errand.page;
  }, 300_000);

  afterAll(async () => {
    await errand?.[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = (path: string) => errand.at(path);
  const dataset = () => at(`/datasets/${makeRecordId(`zenodo/${ID}`)}`);

  const scene = (name: string) => errand.scene(name);

  const total = async () => Number(await page.locator(".score .big").first().innerText());

  test("a researcher who improves a dataset sees the effect of each step, up to the next release and its email", async () => {
    await page.goto(at("/"));
    await page.locator('main input[name="q"]').fill(`10.5281/zenodo.${ID}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(dataset());
    const before = await total();
    await scene("found");

    // The researcher tries two changes on the grid of signals.
    const tried = page.locator(".matrix button.try");
    await tried.nth(0).click();
    await tried.nth(1).click();
    await page
      .locator("[data-tried] output", { hasText: `${before} to ${before + 8}` })
      .or(page.locator("[data-tried] output", { hasText: String(before + 8) }))
      .first()
      .waitFor();
    await scene("tried");

    // The researcher downloads the repaired file.
    await page.goto(at("/check"));
    await page.setInputFiles("#f-file", {
      name: ".zenodo.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(METADATA)),
    });
    await page.locator("#repaired").waitFor();
    await scene("repaired-file");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download .zenodo.json" }).click();
    const repaired = JSON.parse(readFileSync(await (await download).path(), "utf8"));
    expect(repaired.creators).toEqual([{ name: "Carberry, Josiah", orcid: "0000-0002-1825-0097" }]);

    // The researcher deposits the repaired metadata, and checks the dataset again.
    const deposited = makeRecord(repaired, "2026-10-01T08:00:00Z");
    errand.upstream.answers.set(`/api/records/${ID}`, deposited);
    await page.goto(dataset());
    await page.getByRole("button", { name: "Check it now" }).click();
    await page.locator("main .score").first().waitFor();
    const after = await total();
    expect(after - before).toBeGreaterThanOrEqual(20);
    expect(await page.locator("main").innerText()).toContain(`${before}`);
    await scene("checked");
    await page.goto(dataset());
    expect(await total()).toBe(before);

    // The researcher signs in and follows the dataset.
    await page.goto(at("/sign-in"));
    await page.fill("#f-email", "josiah@example.org");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=We have sent a link");
    await page.goto(at(`/auth/magic#token=${tokenIn(await errand.mailbox.next())}`));
    await page.keyboard.press("Enter");
    await page.waitForURL(at("/me"));
    await page.goto(dataset());
    await page.getByRole("button", { name: "Save to your account" }).click();
    await page.getByRole("button", { name: "Saved" }).waitFor();
    await page.goto(at("/me/saved"));
    await page.getByRole("button", { name: "Send me emails" }).click();
    await page.getByRole("button", { name: "Stop these emails" }).waitFor();
    await scene("followed");

    // The next release shows the new score, and an email says so.
    await release(deposited);
    const mail = await errand.mailbox.next();
    expect(mail.to).toEqual(["josiah@example.org"]);
    expect((mail.email.text ?? "").replace(/\s+/g, " ")).toContain(`${TITLE}: ${before} before, ${after} now`);
    await page.goto(dataset());
    await expect
      .poll(async () => {
        await page.reload();
        return total();
      })
      .toBe(after);
    await scene("released");
  }, 300_000);
});
