/**
 * Names in advice, which the payload provides: related works without an identifier, people without an ORCID iD, and files with
 * meaningless names.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScoredEvaluation } from "../../pipeline/evaluate/evaluation.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../../pipeline/sources/index.ts";
import { PAYLOADS } from "../support/bundled-corpus.ts";
import { type OpenEvaluator, openEvaluator } from "./open-evaluator.ts";

const CONTRACT = "2.0.0-beta.2";

let opened: OpenEvaluator;
beforeAll(async () => {
  opened = await openEvaluator();
});
afterAll(() => opened[Symbol.asyncDispose]());

function known(name: string): Source {
  const source = sourceNamed(name);
  if (source === null) throw new Error(`unknown source ${name}`);
  return source;
}

function findAdvice({ record }: ScoredEvaluation, id: string): string | null | undefined {
  return record?.signals.find((signal) => signal.id === id)?.advice;
}

async function drafted(source: string, text: string): Promise<ScoredEvaluation> {
  return opened.evaluator.draft(known(source), Buffer.from(text), CONTRACT);
}

function fixture(path: string): string {
  return readFileSync(join(PAYLOADS, path), "utf8");
}

/** Returns the text of a JSON fixture in which the value at the path `at` is replaced. */
function altered(path: string, at: readonly string[], value: unknown): string {
  const document = JSON.parse(fixture(path));
  const last = at.at(-1) ?? "";
  const inner = at.slice(0, -1).reduce((member, name) => member[name], document);
  inner[last] = value;
  return JSON.stringify(document);
}

/** Returns the text of a Zenodo record with these metadata. */
function zenodo(metadata: object): string {
  return JSON.stringify({ id: 1, metadata: { title: "Rain", resource_type: { type: "dataset" }, ...metadata } });
}

const TEXT = "Vance, M. Rain, an invented history. Norvale 1999";

const REFERENCES: readonly (readonly [source: string, payload: () => string, named: string])[] = [
  ["zenodo", () => zenodo({ references: [{ reference: TEXT }] }), TEXT],
  [
    "zenodo, linked",
    () => zenodo({ related_identifiers: [{ identifier: "foosball", relation: "cites", scheme: "doi" }] }),
    "foosball",
  ],
  [
    "datacite",
    () =>
      altered(
        "datacite/complete-modern.json",
        ["data", "attributes", "relatedIdentifiers"],
        [
          { relatedIdentifier: "ARK-less", relatedIdentifierType: "ARK", relationType: "References" },
          { relatedIdentifier: "1234-5678", relatedIdentifierType: "ISSN", relationType: "IsPartOf" },
        ],
      ),
    "ARK-less",
  ],
  [
    "clinicaltrials",
    () =>
      altered("clinicaltrials/complete.json", ["protocolSection", "referencesModule"], {
        references: [{ type: "BACKGROUND", citation: TEXT }],
      }),
    TEXT,
  ],
  [
    "openneuro",
    () => altered("openneuro/complete.json", ["latestSnapshot", "description", "ReferencesAndLinks"], [TEXT]),
    TEXT,
  ],
  ["nasa_cmr", () => altered("nasa_cmr/complete.json", ["umm", "PublicationReferences"], [{ Title: TEXT }]), TEXT],
  [
    "dataverse",
    () =>
      altered(
        "dataverse/minimal.json",
        ["data", "latestVersion", "metadataBlocks", "citation", "fields"],
        [
          { typeName: "title", multiple: false, typeClass: "primitive", value: "Rain" },
          { typeName: "otherReferences", multiple: true, typeClass: "primitive", value: [TEXT] },
        ],
      ),
    TEXT,
  ],
  [
    "edi",
    () =>
      fixture("edi/literature.xml").replace(
        /<literatureCited>[\s\S]*<\/literatureCited>/,
        `<literatureCited><bibtex>@book{c, title = {Rain}}</bibtex></literatureCited>`,
      ),
    "@book{c, title = {Rain}}",
  ],
];

describe("related works that the metadata describe without an identifier", () => {
  test.each(REFERENCES)(
    "related works without an identifier are named in the advice for %s",
    async (name, payload, named) => {
      const evaluation = await drafted(name.split(",")[0] ?? "", payload());
      expect(findAdvice(evaluation, "H5")).toMatch(/ Without one: /);
      expect(findAdvice(evaluation, "H5")).toContain(`Without one: ${named}.`);
    },
  );

  test("the advice names no related work if there is none, or if one of them has an identifier", async () => {
    const said = async (references: string[]) => findAdvice(await drafted("zenodo", zenodo({ references })), "H5");
    expect(await said([])).not.toContain("Without one");
    expect(await said([TEXT, "Okoro, A. https://doi.org/10.5072/a"])).toBeNull();
  });
});

test("advice shows names from the payload without markup and control characters", async () => {
  const hostile = "\u202egnp\u0000 <script>alert(1)</script>\u2028 \u001b[2J";
  // The creator shares no word with the other value, because advice leaves out values that contain a word of a creator's name.
  const creators = [{ name: "Vance, Mi\u202erela\u0000 <script>steal(2)</script>\u2028" }];
  const text = JSON.stringify({
    ...JSON.parse(zenodo({ references: [hostile], creators })),
    files: [{ key: `a${hostile}.csv`, size: 1 }],
  });
  const evaluation = await drafted("zenodo", text);
  expect(findAdvice(evaluation, "H5")).toBe(
    `${findAdvice(await drafted("zenodo", zenodo({})), "H5")} Without one: gnp alert(1) [2J.`,
  );
  expect(JSON.stringify(evaluation)).not.toMatch(/[\p{Bidi_Control}\p{Zl}\p{Zp}]|<script|\\u00[01]/u);
});

const CREATORS: readonly (readonly [
  name: string,
  creators: readonly object[],
  e1: RegExp | null,
  e2: RegExp | null,
])[] = [
  [
    "all people",
    [{ name: "Vance, Mirela" }, { name: "Okoro, Ada" }],
    / Without one: Vance, Mirela; Okoro, Ada\.$/,
    /^((?!Without).)*$/,
  ],
  [
    "the people, without the organisation",
    [{ name: "Norvale Data Archive" }, { name: "Okoro, Ada" }],
    / Without one: Okoro, Ada\.$/,
    /^((?!Without).)*$/,
  ],
  [
    "the one person without an iD",
    [{ name: "Vance, Mirela", orcid: "0000-0002-1825-0097" }, { name: "Okoro, Ada" }],
    null,
    / Without one: Okoro, Ada\.$/,
  ],
  [
    "five of seven people",
    [..."ABCDEFG"].map((letter) => ({ name: `Vance, ${letter}nna` })),
    /; Vance, Enna and 2 more\.$/,
    /^((?!Without).)*$/,
  ],
];

describe("people without an iD", () => {
  test.each(CREATORS)(
    "people without an ORCID iD are named in the advice only if that helps: %s",
    async (_name, creators, e1, e2) => {
      const evaluation = await drafted("zenodo", zenodo({ creators }));
      for (const [id, said] of [
        ["E1", e1],
        ["E2", e2],
      ] as const) {
        if (said === null) expect(findAdvice(evaluation, id)).toBeNull();
        else expect(findAdvice(evaluation, id)).toMatch(said);
      }
      const advice = evaluation.improvements.flatMap((improvement) => improvement.advice).join(" ");
      expect(advice.split("Without one").length).toBe(2);
    },
  );

  test("people without an ORCID iD are not named if one has an ISNI, because records do not show ISNIs", async () => {
    const creators = [
      {
        name: "Vance, Mirela",
        nameType: "Personal",
        nameIdentifiers: [{ nameIdentifier: "0000 0001 2103 2683", nameIdentifierScheme: "ISNI" }],
      },
      { name: "Okoro, Ada", nameType: "Personal" },
    ];
    const evaluation = await drafted(
      "datacite",
      altered("datacite/complete-modern.json", ["data", "attributes", "creators"], creators),
    );
    expect(findAdvice(evaluation, "E2")).toBeTruthy();
    expect(findAdvice(evaluation, "E2")).not.toContain("Without one");
  });

  test("no creator is named in advice if one of the creators is hidden", async () => {
    await using hiding = await openEvaluator({ isWithheld: () => true });
    const text = zenodo({ creators: [{ name: "Vance, Mirela", affiliation: "Norvale" }] });
    const evaluation = await hiding.evaluator.draft(known("zenodo"), Buffer.from(text), CONTRACT);
    expect(evaluation.record?.authors.map(({ name }) => name)).toEqual(["withheld"]);
    expect(JSON.stringify(evaluation)).not.toContain("Vance");
  });
});
