/** share-release source new: writes the skeleton of a source into a checkout of this repository. */

import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { EVIDENCE_NAMES } from "../../schemas/public/evidence.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { command, printResult, type SharedOptions, today } from "../options/shared.ts";

/** The evidence columns that the skeleton reads. */
const CARRIED = ["keyword_count", "description_length"] as const;

export function newCommand(): Command {
  return command("new", "Create the skeleton of a new source in the checkout in the current folder", [
    "source new example_archive",
  ])
    .argument("<name>", "Name of the source: lower-case letters, digits and _, such as nasa_cmr")
    .action(async (name: string, options: SharedOptions) => {
      if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name) || name.length > 30 || name === "adapter")
        throw new UsageError(
          `"${name}" is not a valid name: use at most 30 lower-case letters, digits and _, such as nasa_cmr`,
        );
      if (SOURCES.some((source) => source.name === name))
        throw new CommandFailed(`the source ${name} already exists; choose another name`);
      const root = process.cwd();
      await requireCheckout(root);
      const files = writeFiles(name);
      for (const [path, text] of Object.entries(files)) await writeNew(join(root, path), text);
      await appendFile(
        join(root, "fixtures/expected.csv"),
        EXPECTED.map((row) => `payloads/${name},${row}\n`).join(""),
      );
      printResult(
        options,
        { source: name, files: [...Object.keys(files), "fixtures/expected.csv"] },
        ({ files: all }) => [...all.map((path) => `wrote ${path}`), "", nextSteps(name)].join("\n"),
      );
    });
}

async function requireCheckout(root: string): Promise<void> {
  const manifest = await readFile(join(root, "package.json"), "utf8").catch(() => "{}");
  const fixtures = await readFile(join(root, "fixtures/expected.csv"), "utf8").catch(() => null);
  if (fixtures !== null && /"name": "share-release"/.test(manifest)) return;
  throw new CommandFailed(
    `${root} is not a checkout of share-release. Run this command in the root folder of a checkout.`,
  );
}

async function writeNew(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: "wx" }).catch((cause: unknown) => {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    throw new CommandFailed(`${path} already exists. Remove it, or choose another name.`, { cause });
  });
}

function nextSteps(name: string): string {
  const constant = camelCase(name);
  return `Next steps; docs/changing.md, "Add a source", explains them:
  1. Add the source to pipeline/sources/index.ts: the import, and \`${constant},\` in SOURCES.
       import { ${constant} } from "./${name}/source.ts";
  2. Replace each TODO in the new files by what the service does. Cite its documentation.
  3. Add its simulated service to test/support/upstream/worlds.ts.
  4. Run \`npx biome check --write .\` and \`npm run generate\`, then \`npx vitest run test/sources test/fixtures test/schemas test/harvest\`.`;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

function writeFiles(name: string): Readonly<Record<string, string>> {
  const constant = camelCase(name);
  const normalise = `normalise${constant[0]?.toUpperCase()}${constant.slice(1)}`;
  const folder = `pipeline/sources/${name}`;
  return {
    [`${folder}/source.ts`]: sourceText(name, constant, normalise),
    [`${folder}/normalise.ts`]: normaliserText(name, normalise),
    [`${folder}/pledge.json`]: pledgeText(name),
    ...Object.fromEntries(
      Object.entries(FIXTURES).map(([file, payload]) => [
        `fixtures/payloads/${name}/${file}`,
        `${JSON.stringify(payload, null, 2)}\n`,
      ]),
    ),
  };
}

function sourceText(name: string, constant: string, normalise: string): string {
  return `/**
 * TODO: name and address of the service, and the version of its API (sources.md). Stored payload: one record, verbatim, such as
 * \`{"id": "x99000001", "title": …, "description": …, "keywords": […]}\`.
 */

import { asText, at } from "../../reading/reader.ts";
import { urlWith, matchFirst, readNumber, onlyPart } from "../adapter/requests.ts";
import type { ResponseShape, Source, Walk } from "../adapter/source.ts";
import { ${normalise} } from "./normalise.ts";
import pledge from "./pledge.json" with { type: "json" };

const PAGE_SIZE = 100;

/** TODO: the documentation of paging. Pages are numbered from 1 here. */
const walk: Walk = {
  base: "https://${makeHost(name)}",
  since: false,
  start: () => ({ page: 1 }),

  request: ({ page }, options) => ({ url: urlWith(options, "/records", { page: Number(page), size: PAGE_SIZE }) }),

  read({ page }, { document, sourceIds }) {
    const total = readNumber(at(document, "total"));
    const isLast = sourceIds.length === 0 || (total !== null && Number(page) * PAGE_SIZE >= total);
    return { next: isLast ? null : { page: Number(page) + 1 }, total };
  },
};

function readShape(document: unknown): ResponseShape {
  if (Array.isArray(at(document, "records"))) return { kind: "list", path: ["records"] };
  if (identify(document) !== null) return { kind: "record", path: [] };
  return { kind: "rejected", reason: "unknown-shape", detail: "the document is neither a record nor a list of records" };
}

function identify(payload: unknown): string | null {
  return matchFirst(asText(at(payload, "id")) ?? "", ID);
}

/** TODO: the form of an id. */
const ID = /^(x\\d{1,12})$/;

export const ${constant}: Source = {
  name: "${name}",
  pledge,
  reader: 1,
  // TODO: a record that exists.
  example: "x1",
  hosts: ["${makeHost(name)}"],
  // TODO: the documented rate.
  rate: { requests: 1, seconds: 1 },
  walk,
  planFetch: (id) => onlyPart((options) => ({ url: urlWith(options, \`/records/\${id}\`) })),
  buildUrl: (id) => \`https://${makeHost(name)}/records/\${id}\`,
  readSourceId: (text) => matchFirst(text, /^https:\\/\\/${makeHost(name).replaceAll(".", "\\.")}\\/records\\/(x\\d{1,12})$/),
  canonicalId: (id) => matchFirst(id, ID),
  // TODO: remove this if no other source has payloads of this shape.
  looseShape: true,
  readShape,
  identify,
  normalise: ${normalise},
};
`;
}

/** Returns a placeholder host name below example.org, which is reserved for examples (RFC 2606). */
function makeHost(name: string): string {
  return `${name.replaceAll("_", "-")}.example.org`;
}

function normaliserText(name: string, normalise: string): string {
  return `/** Converts a payload of ${name} to a record and its evidence. */

import type { Normalised, RecordFields } from "../../../schemas/internal/capture.ts";
import type { Evidence, EvidenceName } from "../../../schemas/public/evidence.ts";
import { bareFields, blankEvidence, failed, settled, tombstone } from "../../reading/normalised.ts";
import { asObject, asText, type Json, Reader } from "../../reading/reader.ts";
import { readDate, displayText, textLength } from "../../reading/text.ts";
import type { NormaliseOptions } from "../adapter/source.ts";

export function ${normalise}(payload: unknown, sourceId: string, context: NormaliseOptions): Normalised {
  if (payload === null) return tombstone("the service has no such record", null);
  const record = asObject(payload);
  if (record === null) return failed("the record is not an object", null, knownFields(sourceId));
  const errors = new Set<EvidenceName>();
  const reader = new Reader(record, errors);
  // TODO: every column that payloads can carry; the pledge lists the others under neverCarries.
  const evidence: Evidence = {
    ...blankEvidence(),
    keyword_count: keywordCount(reader),
    description_length: textLength(reader.text("description", ["description_length"]), context.vocabularies),
  };
  return {
    outcome: "record",
    updated: null,
    fields: describe(record, sourceId),
    evidence: settled(evidence, errors),
    errors,
    creators: [],
    facets: [],
    funding: [],
  };
}

function keywordCount(reader: Reader): number | null {
  const keywords = reader.list("keywords", ["keyword_count"]);
  return keywords && new Set(keywords.flatMap((each) => asText(each)?.toLowerCase() ?? [])).size;
}

function describe(record: Json, sourceId: string): RecordFields {
  const title = asText(record.title);
  return {
    ...knownFields(sourceId),
    title: (title && displayText(title)) || null,
    pubDate: readDate(asText(record.published)),
  };
}

function knownFields(sourceId: string): RecordFields {
  return bareFields({
    // TODO: the label that readers see.
    repository: "${name}",
    url: \`https://${makeHost(name)}/records/\${encodeURIComponent(sourceId)}\`,
    recordKind: "dataset",
    versionFamily: \`${name}/\${sourceId}\`,
  });
}
`;
}

function pledgeText(name: string): string {
  const others = EVIDENCE_NAMES.filter((column) => !CARRIED.some((carried) => carried === column));
  const form = { who: "depositor", effort: "record", checked: today() };
  const unknown = "The form's label for it is unknown.";
  const pledge = {
    source: name,
    repository: name,
    repositoryField: null,
    name: `TODO: the name of ${name}`,
    operator: "TODO: the operator",
    homepage: `https://${makeHost(name)}`,
    kind: "native",
    status: "self-attested",
    attestation: "TODO: who attests that the supported signals can be read, and from which responses.",
    neverCarries: others,
    omitsWhenEmpty: [],
    columns: {
      keyword_count: {
        field: "keywords[]",
        advice: `Enter at least {number} different keywords. ${unknown}`,
        form,
      },
      description_length: {
        field: "description",
        advice: `Write a description of at least {number} characters. ${unknown}`,
        form,
      },
    },
    unsupported: { [others.join(", ")]: "TODO: the reason for each column." },
    signals: {},
  };
  return `${JSON.stringify(pledge, null, 2)}\n`;
}

const FIXTURES: Readonly<Record<string, object>> = {
  "complete.json": {
    id: "x99000001",
    title: "Soil moisture of an invented valley",
    description: "Hourly soil moisture of an invented valley, measured by twelve probes over one invented summer.",
    keywords: ["soil moisture", "hydrology", "valley"],
    published: "2026-05-01",
  },
  "sparse-fields.json": { id: "x99000002", title: "Only a title" },
  "malformed-values.json": { id: "x99000003", title: 7, description: ["not a text"], keywords: "not a list" },
};

/** Rows of fixtures/expected.csv, without the column for the folder. */
const EXPECTED = [
  "complete.json,Every field that the skeleton reads,scored",
  "sparse-fields.json,Only an id and a title,scored",
  "malformed-values.json,Values of another type than the service documents,scored",
];
