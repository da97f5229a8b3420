/** Makes pages (a list, a dataset and a researcher) whose names are hostile, such as markup or very long texts. */

import { getExample } from "../../api-static/openapi/examples.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { researcherDetail } from "../../schemas/public/api/researcher.ts";
import { sumBuckets } from "../../web/components/bucket-profile.ts";
import { siteDocument } from "../../web/components/document.ts";
import { DEFAULT_FACE } from "../../web/components/face.ts";
import { datasetView } from "../../web/views/dataset.ts";
import { datasetsView } from "../../web/views/datasets.ts";
import { researcherView } from "../../web/views/researchers.ts";

export const HOSTILE_NAMES: readonly { readonly name: string; readonly text: string }[] = [
  {
    name: "a long name without a space",
    text: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(6),
  },
  { name: "a long name of many words", text: "A very long title of a dataset about the sea ".repeat(40) },
  { name: "Thai", text: "ข้อมูลอุณหภูมิผิวน้ำทะเลในอ่าวไทยระหว่างปีพุทธศักราชสองพันห้าร้อยหกสิบ" },
  { name: "a right-to-left name", text: "بيانات درجة حرارة التربة في المنحدر (2024)" },
  { name: "markup", text: `</title></script><script>alert(1)</script><img src=x onerror="alert(2)">&amp;'"` },
  { name: "direction overrides", text: "\u202Egnp.exe\u202C \u2067abc\u2069" },
  { name: "a script URL", text: "javascript:alert(1)" },
];

const ORIGIN = "https://share.example";
const around = (path: string) => ({
  origin: ORIGIN,
  path,
  face: DEFAULT_FACE,
  release: { version: "2026.11.01", asOf: "2026-11-01", retraction: null },
});

/** Number of datasets that the researcher has. The page lists only the first hundred. */
const MANY = 10_000;

/** Returns three HTML documents with `text` in place of every name: the list of datasets, a dataset and a researcher. */
export function hostilePages(text: string): readonly string[] {
  const record = recordDetail.parse(getExample("record"));
  const person = researcherDetail.parse(getExample("author"));
  const named = {
    ...record,
    title: text,
    repository: text,
    license: text,
    recordKind: text,
    authors: record.authors.map((author) => ({ ...author, name: text, affiliation: text })),
  };
  const datasets = Array.from({ length: 100 }, (_, i) => ({ ...named, id: `r${String(i).padStart(24, "0")}` }));
  const list = { total: MANY, page: 1, limit: 100, totalPages: 100, hasNext: true, hasPrev: false };
  const questions = new Map(record.signals.map(({ id }) => [id, "Is it there?"]));
  return [
    siteDocument(
      datasetsView({
        filters: { search: text },
        query: { search: text },
        data: datasets,
        pagination: list,
        repositories: [text],
        facets: new Map([
          ["repository", { values: [{ value: text, label: text, records: MANY }], total: 1, unknown: MANY }],
        ]),
        names: {},
        signals: new Map(),
        statedRor: null,
      }),
      around("/datasets"),
    ),
    siteDocument(
      datasetView({
        record: named,
        version: "2.0",
        source: text,
        licence: null,
        other: null,
        standing: { repository: text, scored: 20, totals: { 20: 10, 60: 10 }, mean: 40, buckets: sumBuckets([]) },
        perfect: null,
        needed: 5,
        steps: [],
        questions,
        history: [],
        origin: ORIGIN,
      }),
      around(`/datasets/${record.id}`),
    ),
    siteDocument(
      researcherView(
        { ...person, name: text, affiliation: text, datasetCount: MANY, datasets },
        { data: datasets, pagination: list, order: "score desc" },
        {
          report: {
            data: {
              datasets: MANY,
              scoredCount: MANY,
              points: MANY,
              meanScore: 50,
              meanCap: 80,
              years: [],
              improvements: [],
            },
            _meta: {
              scoreRelease: { scoreReleaseVersion: "2026.11.01", releaseDigest: `sha256:${"0".repeat(64)}` },
              previousRelease: null,
            },
          },
          sources: new Map(),
          years: [],
          sIndex: { now: MANY, after: () => MANY, all: MANY, kinds: null },
        },
        "2.0",
        { origin: ORIGIN, hasOrcid: false },
      ),
      around("/researchers/x"),
    ),
  ];
}
