/** The command `share-release fix`: its output and the files that it writes, for one dataset and for a whole repository. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { repair } from "../../pipeline/repair/index.ts";
import type { MetadataChange } from "../../pipeline/repair/metadata-change.ts";
import { currentDigest } from "../../pipeline/store/releases.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { readMisplaced } from "../../server/site/repairs.ts";
import { shellText } from "../../web/components/snippets.ts";
import { services, zenodoRecord } from "../evaluate/services.ts";
import { openRelease } from "../queries/described-release.ts";
import { ask } from "../server/ask.ts";
import { serve } from "../server/test-store.ts";
import { commandHost } from "../support/command-host.ts";
import { ARCHIVE, tideTable } from "./tide-tables.ts";

const folder = mkdtempSync(join(tmpdir(), "share-fix-"));
const host = commandHost(join(import.meta.dirname, "../cli/share-release.ts"));
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function run(...parameters: readonly string[]) {
  const { exitCode: code, stdout, stderr } = await host.run(parameters);
  return { code, out: stripVTControlCharacters(stdout), error: stderr };
}

const read = (path: string) => readFileSync(path, "utf8");
const readLines = (path: string) => read(path).trim().split("\n");

const DRAFT = {
  title: "Tide tables of an invented coast",
  description: "The tide tables belong to our paper https://doi.org/10.1000/tides of the year before.",
  creators: [{ name: "Carberry, Josiah", orcid: "0000-0002-1825-0097" }],
};

describe("share-release fix for a file", () => {
  test("share-release fix prints the changes, and writes a file only with --output", async () => {
    const path = file("draft.json", DRAFT);
    const shown = await run("fix", path, "--source", "zenodo");
    expect(shown).toMatchObject({ code: 0, error: "" });
    expect(shown.out).toContain('+ {"identifier":"10.1000/tides","scheme":"doi","relation":"references"}');
    expect(shown.out).toContain("from metadata.description, for Reference Identifiers (H5)");
    expect(shown.out).toMatch(/\n\d+ of 100 → \d+ of 100 with one change\n/);
    expect(JSON.parse(read(path))).toEqual(DRAFT);
    await run("fix", path, "--source", "zenodo", "--output", path);
    expect(JSON.parse(read(path)).related_identifiers).toHaveLength(1);
    expect((await run("fix", path, "--source", "zenodo")).out).toContain("no fact that stands in the wrong place");
  });

  test("share-release fix --json prints the changes as one object", async () => {
    const { out } = await run("fix", file("draft.json", DRAFT), "--source", "zenodo", "--json");
    const result = JSON.parse(out);
    expect(result).toMatchObject({ source: "zenodo", format: "Zenodo metadata", written: null, leftOver: [] });
    expect(result).toMatchObject({ scoreBefore: 8, scoreAfter: 20, cap: 100, reason: null });
    expect(result.changes).toEqual([
      {
        field: "related_identifiers",
        action: "insert",
        repaired: { identifier: "10.1000/tides", scheme: "doi", relation: "references" },
        evidence: "reference_pid_count",
        foundIn: "metadata.description",
      },
    ]);
  });

  test("share-release fix lists the formats that it can write if it cannot write the format of the file", async () => {
    const trial = { identificationModule: { officialTitle: "A trial of two teas" } };
    const { code, out } = await run("fix", file("trial.json", trial), "--source", "clinicaltrials");
    expect(code).toBe(0);
    expect(out.replaceAll("\n", " ")).toContain("It writes JSON for DataCite, Zenodo, InvenioRDM, Dataverse");
  });

  test.each([
    { name: "a missing file", parameters: ["missing.json"], code: 1, error: "there is no file missing.json" },
    { name: "nothing to repair", parameters: [], code: 2, error: "give either one dataset, such as" },
    {
      name: "enrichment records without their origin",
      parameters: ["draft.json", "--format", "enrichment"],
      code: 2,
      error: "--format enrichment and --provenance require each other",
    },
  ])("share-release fix rejects its parameters: $name", async ({ parameters, code, error }) => {
    const result = await run("fix", ...parameters);
    expect(result.code).toBe(code);
    expect(result.error).toContain(error);
  });

  test("share-release fix makes enrichment records only for DataCite records", async () => {
    const origin = file("origin.json", { sourceId: "10.1000/project" });
    const path = file("draft.json", DRAFT);
    const result = await run("fix", path, "--source", "zenodo", "--format", "enrichment", "--provenance", origin);
    expect(result).toMatchObject({ code: 1 });
    expect(result.error).toContain("--format enrichment is for DataCite records with a DOI");
  });

  test.each([
    { name: "broken JSON", text: "{", error: "is not JSON" },
    { name: "both forms of an origin", text: '{"sourceId": "10.1/x", "contributors": []}', error: "needs either" },
    { name: "a source that is not a DOI", text: '{"sourceId": "project"}', error: "needs either" },
  ])("share-release fix rejects an invalid origin of enrichment records: $name", async ({ text, error }) => {
    const origin = file("origin.json", text);
    const result = await run("fix", "10.1000/x", "--format", "enrichment", "--provenance", origin);
    expect(result).toMatchObject({ code: 1 });
    expect(result.error).toContain(error);
  });
});

test("share-release fix fetches a published Zenodo record, and writes complete metadata for its update", async () => {
  await using upstream = await services({
    "/api/records/7": zenodoRecord(7, {
      metadata: { ...DRAFT, resource_type: { type: "dataset" }, access_right: "open", keywords: ["one"] },
    }),
  });
  const parameters = ["fix", "zenodo/7", "--output", join(folder, "update.json")];
  const fixed = await run(...parameters, "--upstream", `zenodo=${upstream.base}`);
  expect(fixed).toMatchObject({ code: 0, error: "" });
  expect(JSON.parse(read(join(folder, "update.json")))).toEqual({
    ...DRAFT,
    upload_type: "dataset",
    access_right: "open",
    keywords: ["one"],
    related_identifiers: [{ identifier: "10.1000/tides", scheme: "doi", relation: "references" }],
  });
  const missing = await run("fix", "zenodo/8", "--upstream", `zenodo=${upstream.base}`);
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.error).toContain("no public record 8");
  expect(upstream.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test("share-release fix for a repository writes an update for each dataset, a table of changes, and equivalent enrichment records", async () => {
  const store = join(folder, "store");
  const given = join(folder, "given");
  mkdirSync(given);
  const records = Array.from({ length: 30 }, (_, i) => tideTable(i));
  writeFileSync(join(given, "records.ndjson"), records.map((record) => JSON.stringify(record)).join("\n"));
  expect(await run("harvest", "datacite", "--from", given, "--store", store)).toMatchObject({ code: 0 });
  expect(await run("build", "--store", store)).toMatchObject({ code: 0 });
  // The page of the repository offers the facts in the wrong place as a table.
  const page = "/repositories/Archive%20of%20Invented%20Seas";
  const server = await serve(openStore(store));
  onTestFinished(() => server.close());
  const shown = () => ask(server.port, page, { headers: { accept: "text/html" } });
  const { text } = await shown();
  expect(text).toContain("<summary>20 datasets can be repaired");
  expect(text).toContain("<li>20 datasets: several keywords in one entry</li>");
  expect(text).toContain("share-release fix --repository=&apos;Archive of Invented Seas&apos; --output updates");
  const table = await ask(server.port, `${page}/repairs.csv`);
  expect(table.headers["content-disposition"]).toMatch(/filename="share-[\d.]+-Archive-of-Invented-Seas-repairs\.csv"/);
  const facts = table.text.trim().split("\r\n");
  expect(facts).toHaveLength(61);
  expect(facts.slice(0, 2)).toEqual([
    "identifier,doi,title,signals,field,value,found_in",
    "datacite/10.1000/tides.1,10.1000/tides.1,Tide table 1,S1 S2,attributes.subjects[].subject,tides,attributes.subjects.subject",
  ]);
  // The page offers the same repairs as entries to add.
  const offered = await ask(server.port, `${page}/updates.jsonl`);
  expect(offered.headers["content-type"]).toMatch(/^application\/x-ndjson/);
  const additions = offered.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(additions).toHaveLength(20);
  expect(additions[0]).toMatchObject({ identifier: "datacite/10.1000/tides.1", format: "DataCite JSON", leftOver: [] });
  expect(additions[0].changes.map(({ field, action, repaired }: MetadataChange) => [field, action, repaired])).toEqual(
    ["tides", "sea level", "North Sea"].map((subject) => ["subjects", "insert", { subject }]),
  );
  // If the number of datasets is limited, the facts of each dataset are complete.
  const opened = openStore(store);
  const release = await openRelease(opened, (await currentDigest(opened)) ?? "");
  onTestFinished(() => release.close());
  const { facts: few } = await readMisplaced(ARCHIVE, release, 2);
  const firstTwo = additions.slice(0, 2).flatMap(({ identifier }) => Array(3).fill(identifier));
  expect(few.map(({ source, sourceId }) => `${source}/${sourceId}`)).toEqual(firstTwo);
  const updates = join(folder, "updates");
  const fixed = await run("fix", "--repository", ARCHIVE, "--store", store, "--output", updates);
  expect(fixed.out).toContain("20 of 30 datasets can be repaired, for 80 points together.");
  const [head, first = ""] = readLines(join(updates, "changes.csv"));
  expect(head).toContain('"identifier","doi","title","field","action","before","after","found_in"');
  expect(first).toContain('"datacite/10.1000/tides.1"');
  const lines = readLines(join(updates, "updates.jsonl")).map((line) => JSON.parse(line));
  expect(lines).toHaveLength(20);
  expect(lines[0]).toMatchObject({
    doi: "10.1000/tides.1",
    format: "DataCite JSON",
    update: {
      data: {
        id: "10.1000/tides.1",
        type: "dois",
        attributes: { subjects: ["tides", "sea level", "North Sea"].map((subject) => ({ subject })) },
      },
    },
  });
  for (const { scoreBefore, scoreAfter } of lines) expect(scoreAfter - scoreBefore).toBe(4);

  // Applied to the original records, the enrichment records give the same result as the updates.
  const origin = file("origin.json", { sourceId: "10.1000/project" });
  const enriched = join(folder, "enriched");
  await run(
    ...["fix", "--repository", ARCHIVE, "--store", store, "--output", enriched],
    ...["--format", "enrichment", "--provenance", origin],
  );
  const enrichments = readLines(join(enriched, "enrichments.jsonl")).map((line) => JSON.parse(line));
  expect(enrichments).toHaveLength(60);
  for (const { doi, update } of lines) {
    const record = records.find(({ id }) => id === doi);
    const attributes = enrichments.filter((each) => each.doi === doi).reduce(applied, record?.attributes);
    expect(attributes.subjects).toEqual(update.data.attributes.subjects);
  }

  const missing = await run("fix", "--repository", "Nowhere", "--store", store);
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.error).toContain("no dataset of a repository called Nowhere");
});

test.each(["Archive of Invented Seas", "Archive d'Amérique", `"; $(id) \`id\` '$HOME' \\ #`, "-x", "a\nb", "''"])(
  "the fix command on the page of a repository quotes the name %s for a shell",
  (name) => {
    const told = execFileSync("sh", ["-c", `printf '%s|' --repository=${shellText(name)}`], { encoding: "utf8" });
    expect(told).toBe(`--repository=${name}|`);
  },
);

interface Enrichment {
  readonly field: string;
  readonly action: "insert" | "updateChild" | "update";
  readonly originalValue?: unknown;
  readonly enrichedValue: unknown;
}

/** Applies an enrichment record as DataCite does: an entry is replaced only if it equals the original value completely. */
function applied<T extends Record<string, unknown>>(attributes: T, line: Enrichment): T {
  const list = attributes[line.field];
  if (!Array.isArray(list)) throw new Error(`${line.field} is not a list`);
  if (line.action === "insert") return { ...attributes, [line.field]: [...list, line.enrichedValue] };
  const original = JSON.stringify(line.originalValue);
  const index = list.findIndex((each) => JSON.stringify(each) === original);
  if (index < 0) throw new Error(`${line.field} has no entry ${original}`);
  return { ...attributes, [line.field]: list.with(index, line.enrichedValue) };
}

test("the repair of metadata is null for a source whose format cannot be written", () => {
  expect(repair("geo", {}, [])).toBeNull();
});
