/** Text search in titles of many scripts, in DOIs, names and labels (decisions.md, "Requests", `search`). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { listPagination } from "../../schemas/public/api/common.ts";
import type { OpenRelease } from "../../server/read/open-release.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { askList, readRows } from "./ask-list.ts";
import { type Described, described, openLast } from "./described-release.ts";

const TITLES: Readonly<Record<string, string>> = {
  latin: "Données d'océanographie: São Paulo, 2019–2021",
  french: "Écologie des forêts tempérées",
  german: "Straßenverkehr in Österreich",
  polish: "Łódź air quality",
  norwegian: "Bølgehøyde i Tromsø",
  turkish: "Iğdır rainfall",
  greek: "Θερμοκρασία θάλασσας Αιγαίου",
  cyrillic: "Ёлки и берёзы Сибири; данные наблюдений",
  "й and и": "Районы",
  arabic: "بيانات المناخ",
  hebrew: "נתוני אקלים",
  pointed: "שָׁלוֹם",
  "arabic marks": "أرشيف مُحَمَّد",
  "cyrillic marks": "Йодный за́мок України",
  nukta: "क़लम \u09a1\u09bc",
  korean: "서울 대기 오염 데이터",
  devanagari: "जलवायु आँकड़े",
  japanese: "青葉川流域における土壌水分の長期観測データ（2015–2023年）",
  "pairs apart": "分土 水分 壌水",
  "kana mixed": "スーパーコンピュータによる海洋データ同化",
  "kana apart": "デタ ー 海タ ータ",
  "full width": "ＡＢＣ－１２３ ﾃﾞｰﾀ",
  "repeated signs": "人人人人人類学",
  "one sign twice": "人人 調査",
  chinese: "北京市空气质量监测数据集",
  traditional: "臺灣海峽海流觀測",
  thai: "ข้อมูลคุณภาพน้ำในแม่น้ำเจ้าพระยา",
  lao: "ຂໍ້ມູນນ້ຳ",
  khmer: "ទិន្នន័យអាកាសធាតុ",
  myanmar: "ရာသီဥတုအချက်အလက်",
  mixed: "COVID-19肺炎 imaging",
  operators: 'AND OR NOT near* "quoted" -minus a:b',
  sql: "'; drop table record; -- %_",
  "long word": `${"x".repeat(70)} tail`,
  figures: "10.5072 as a number",
};

const DOIS: Readonly<Record<string, string>> = {
  figshare: "10.6084/m9.figshare.1234",
  "figshare v2": "10.6084/m9.figshare.1234.v2",
  odd: "10.1002/(sici)1096-8644(199601)99:1<1::aid-ajpa1>3.0.co;2-1",
};

interface Row {
  readonly search: string;
  readonly finds: readonly string[];
}

const ROWS: readonly Row[] = [
  { search: "שלום", finds: ["pointed"] },
  { search: "ארשיף", finds: [] },
  { search: "ارشيف محمد", finds: ["arabic marks"] },
  { search: "أرشيف", finds: ["arabic marks"] },
  { search: "иодныи замок", finds: ["cyrillic marks"] },
  { search: "йодный украіни", finds: ["cyrillic marks"] },
  { search: "कलम ড", finds: ["nukta"] },
  { search: "क़लम ড়", finds: ["nukta"] },
  { search: "テータ", finds: ["japanese", "kana mixed", "full width"] },
  { search: "DONNEES", finds: ["latin"] },
  { search: "d'oceanographie", finds: ["latin"] },
  { search: "d’OCE\u0301ANOGRAPHIE", finds: ["latin"] },
  { search: "oceanographie", finds: ["latin"] },
  { search: "doceanographie", finds: [] },
  { search: "sao paulo 2021", finds: ["latin"] },
  { search: "paulo sao", finds: ["latin"] },
  { search: "são rio", finds: [] },
  { search: "ocean", finds: [] },
  { search: "ecologie forets", finds: ["french"] },
  { search: "E\u0301cologie", finds: ["french"] },
  { search: "strassenverkehr osterreich", finds: ["german"] },
  { search: "STRASSENVERKEHR", finds: ["german"] },
  { search: "lodz", finds: ["polish"] },
  { search: "bolgehoyde tromso", finds: ["norwegian"] },
  { search: "igdir", finds: ["turkish"] },
  { search: "IĞDIR", finds: ["turkish"] },
  { search: "θερμοκρασια ΘΑΛΑΣΣΑΣ", finds: ["greek"] },
  { search: "αιγαιου", finds: ["greek"] },
  { search: "сибири", finds: ["cyrillic"] },
  { search: "ДАННЫЕ наблюдений", finds: ["cyrillic"] },
  { search: "районы", finds: ["й and и"] },
  { search: "раионы", finds: ["й and и"] },
  { search: "المناخ", finds: ["arabic"] },
  { search: "אקלים", finds: ["hebrew"] },
  { search: "데이터", finds: ["korean"] },
  { search: "आँकड़े", finds: ["devanagari"] },
  { search: "土壌水分", finds: ["japanese"] },
  { search: "土壌", finds: ["japanese"] },
  { search: "土", finds: ["japanese", "pairs apart"] },
  { search: "水分", finds: ["japanese", "pairs apart"] },
  { search: "観測データ", finds: ["japanese"] },
  { search: "データ", finds: ["japanese", "kana mixed", "full width"] },
  { search: "ﾃﾞｰﾀ", finds: ["japanese", "kana mixed", "full width"] },
  { search: "海洋データ", finds: ["kana mixed"] },
  { search: "コンピュータ", finds: ["kana mixed"] },
  { search: "2023年", finds: ["japanese"] },
  { search: "データ 海洋", finds: ["kana mixed"] },
  { search: "abc 123", finds: ["full width"] },
  { search: "人人", finds: ["repeated signs", "one sign twice"] },
  { search: "人人人人", finds: ["repeated signs"] },
  { search: "空气质量", finds: ["chinese"] },
  { search: "北京", finds: ["chinese"] },
  { search: "京北", finds: [] },
  { search: "北京 数据", finds: ["chinese"] },
  { search: "海流觀測", finds: ["traditional"] },
  { search: "海", finds: ["kana mixed", "kana apart", "traditional"] },
  { search: "คุณภาพน้ำ", finds: ["thai"] },
  { search: "เจ้าพระยา", finds: ["thai"] },
  { search: "แม่น้ำ ข้อมูล", finds: ["thai"] },
  { search: "น้ำแม่", finds: [] },
  { search: "ຂໍ້ມູນ", finds: ["lao"] },
  { search: "អាកាសធាតុ", finds: ["khmer"] },
  { search: "ရာသီဥတု", finds: ["myanmar"] },
  { search: "肺炎", finds: ["mixed"] },
  { search: "19肺炎", finds: ["mixed"] },
  { search: "covid 肺炎 imaging", finds: ["mixed"] },
  { search: "near", finds: ["operators"] },
  { search: "near* OR minus", finds: ["operators"] },
  { search: "nea*", finds: [] },
  { search: "-minus NOT quoted", finds: ["operators"] },
  { search: "a:b", finds: ["operators"] },
  { search: "'; drop table record; --", finds: ["sql"] },
  { search: "%", finds: ["*"] },
  { search: "x".repeat(70), finds: ["long word"] },
  { search: "", finds: ["*"] },
  { search: " \t ", finds: ["*"] },
  { search: "!?… — «»", finds: ["*"] },
  { search: "e f g h i j k l m n o p", finds: [] },
  { search: "and or not near quoted minus a b", finds: ["operators"] },
  { search: "and or not near quoted minus a sibiri", finds: [] },
  { search: "10.6084/m9.figshare.1234", finds: ["figshare", "figshare v2"] },
  { search: "10.6084/M9.FIGSHARE.1234.V2", finds: ["figshare v2"] },
  { search: "10.6084/m9.figshare.12", finds: ["figshare", "figshare v2"] },
  { search: "10.6084/", finds: ["figshare", "figshare v2"] },
  { search: "10.6084", finds: ["figshare", "figshare v2"] },
  { search: "m9.figshare.1234", finds: [] },
  { search: "doi:10.6084/m9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: "DOI: 10.6084/m9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: "info:doi/10.6084/M9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: "urn:doi:10.6084/m9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: "https://doi.org/10.6084/m9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: "http://dx.doi.org/10.6084/m9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: "doi.org/10.6084%2Fm9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: '"10.6084/m9.figshare.1234.v2",', finds: ["figshare v2"] },
  { search: "10.1002/(sici)1096-8644(199601)99:1<1::aid-ajpa1>3.0.co;2-1", finds: ["odd"] },
  { search: "10.1002/(SICI)1096", finds: ["odd"] },
  { search: "10.6084/m9 10.6084/m9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: "10.6084/m9.figshare 10.1002/", finds: [] },
  { search: "10.9999/", finds: [] },
  { search: "titled 10.6084/m9.figshare.1234.v2", finds: ["figshare v2"] },
  { search: "untitled 10.6084/m9.figshare.1234.v2", finds: [] },
  { search: "10.6084/m9.figshare.1234.v2_", finds: [] },
  { search: "10.6084/m9_figshare", finds: [] },
];

/** Researchers with their names, and institutions as their affiliations. */
const PEOPLE = [
  { name: "Müller, Jürgen", affiliation: ["Technische Universität Wien, Austria"] },
  { name: "Иванова, Анна", affiliation: ["Сибирский институт, Россия"] },
  { name: "青木, 春香", affiliation: ["北青葉大学, 日本"] },
  { name: "O'Brien, Aoife", affiliation: ["Trinity College, Ireland"] },
];

/** Attributes that are enough evidence for a score. Without a scored dataset, a researcher has no row. */
const JUDGED = {
  subjects: [],
  contributors: [],
  descriptions: [],
  rightsList: [],
  relatedIdentifiers: [],
  fundingReferences: [],
};

const OTHERS = [
  { list: "authors", search: "muller", finds: ["Müller, Jürgen"] },
  { list: "authors", search: "JURGEN Müller", finds: ["Müller, Jürgen"] },
  { list: "authors", search: "анна", finds: ["Иванова, Анна"] },
  { list: "authors", search: "春", finds: ["青木, 春香"] },
  { list: "authors", search: "春香 青木", finds: ["青木, 春香"] },
  { list: "authors", search: "木春", finds: [] },
  { list: "authors", search: "O’Brien", finds: ["O'Brien, Aoife"] },
  { list: "authors", search: "brien", finds: ["O'Brien, Aoife"] },
  { list: "authors", search: "10.5072/t0", finds: [] },
  { list: "institutions", search: "wien universitat", finds: ["Technische Universität Wien, Austria"] },
  { list: "institutions", search: "институт", finds: ["Сибирский институт, Россия"] },
  { list: "institutions", search: "青葉大学", finds: ["北青葉大学, 日本"] },
  { list: "institutions", search: "wien dublin", finds: [] },
] as const;

/** A name longer than the longest label, which is the first thousand characters of a name. */
const LONG_LABEL = "𝔸rchive ".repeat(200);

const records: readonly Described[] = [
  ...Object.values(TITLES).map((title, i) => ({ doi: `10.5072/t${i}`, title })),
  ...Object.values(DOIS).map((doi) => ({ doi, title: "Titled by a number" })),
  { doi: "10.5072/people", title: null, creators: PEOPLE, attributes: JUDGED },
  { doi: "10.5072/label", title: null, attributes: { publisher: LONG_LABEL } },
];
const NAMES = new Map([
  ...Object.keys(TITLES).map((name, i) => [`10.5072/t${i}`, name] as const),
  ...Object.entries(DOIS).map(([name, doi]) => [doi, name] as const),
  ["10.5072/people", "people"],
  ["10.5072/label", "label"],
]);

describe("a text search for datasets, researchers and institutions", () => {
  let folder: FilledStore;
  let release: OpenRelease;

  beforeAll(async () => {
    folder = await filledStore({ captures: described(records), builds: [{}] });
    release = await openLast(folder);
  }, 300_000);

  afterAll(async () => {
    await release?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  test.each(ROWS)("a search for “$search” finds the datasets $finds", async ({ search, finds }) => {
    const { data, pagination } = await readRows(release, "records", `limit=100&${new URLSearchParams({ search })}`);
    const found = data.map(({ doi }) => NAMES.get(String(doi)));
    const wanted = finds[0] === "*" ? [...NAMES.values()] : [...finds];
    expect(found.toSorted()).toEqual(wanted.toSorted());
    expect(pagination.total).toBe(wanted.length);
  });

  test("the filter `repository` accepts the longest possible label", async () => {
    const { data } = await readRows(release, "records", "doi=10.5072/label");
    const label = String(data[0]?.repository);
    expect(Array.from(label)).toHaveLength(999);
    expect((await readRows(release, "records", String(new URLSearchParams({ repository: label })))).data).toEqual(data);
  });

  test.each(OTHERS)("a search for “$search” in the list $list finds $finds", async ({ list, search, finds }) => {
    const { data, pagination } = await readRows(release, list, new URLSearchParams({ search }).toString());
    expect(data.map((row) => row.name ?? row.label)).toEqual(finds);
    expect(pagination.total).toBe(finds.length);
  });
});

/** Datasets of people who share two names. Some have an ORCID iD, some an institution, and some only the name. */
const NAMESAKES: readonly Described[] = [
  ...Array.from({ length: 6 }, () => ({ name: "Ekblad, Sanna" })),
  ...Array.from({ length: 3 }, () => ({ name: "Ekblad, Sanna", affiliation: ["Norvale University"] })),
  ...Array.from({ length: 2 }, () => withOrcid("Ekblad, Sanna", "0000-0002-1825-0097")),
  ...Array.from({ length: 4 }, () => withOrcid("Ekblad, Sanna", "0000-0001-5109-3700")),
  ...Array.from({ length: 2 }, () => ({ name: "Ekblad, Tove" })),
  withOrcid("Ekblad, Tove", "0000-0002-1694-233X"),
].map((creator, i) => ({ doi: `10.5072/n${i}`, title: null, creators: [creator], attributes: JUDGED }));

function withOrcid(name: string, orcid: string) {
  return { name, nameIdentifiers: [{ nameIdentifier: orcid, nameIdentifierScheme: "ORCID" }] };
}

const cursorPage = z.object({ data: z.array(z.object({ id: z.string() })), pagination: listPagination });

describe("a search for people of the same name", () => {
  let folder: FilledStore;
  let release: OpenRelease;

  beforeAll(async () => {
    folder = await filledStore({ captures: described(NAMESAKES), builds: [{}] });
    release = await openLast(folder);
  }, 300_000);

  afterAll(async () => {
    await release?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  const SANNA = [
    ["Ekblad, Sanna", "0000-0001-5109-3700", 4],
    ["Ekblad, Sanna", "0000-0002-1825-0097", 2],
    ["Ekblad, Sanna", null, 3],
    ...Array.from({ length: 6 }, () => ["Ekblad, Sanna", null, 1]),
  ];
  const TOVE = [
    ["Ekblad, Tove", "0000-0002-1694-233X", 1],
    ["Ekblad, Tove", null, 1],
    ["Ekblad, Tove", null, 1],
  ];
  const read = (query: string) => readRows(release, "authors", query);
  const shown = (rows: readonly Readonly<Record<string, unknown>>[]) =>
    rows.map(({ name, orcid, datasetCount }) => [name, orcid, datasetCount]);

  test.each(["2.0", "1.0"])(
    "people of the same name are listed by ORCID iD first, then by number of datasets, under SHARE %s",
    async (rubric) => {
      const search = `search=ekblad&limit=100&rubric=${rubric}`;
      expect(shown((await read(search)).data)).toEqual([...SANNA, ...TOVE]);
      expect(shown((await read(`${search}&sortOrder=desc`)).data)).toEqual([...TOVE, ...SANNA]);
    },
  );

  test.each(["asc", "desc"])("people of the same name have one order by page and cursor (%s)", async (sortOrder) => {
    const search = `search=ekblad&sortOrder=${sortOrder}`;
    const all = (await read(`${search}&limit=100`)).data.map(({ id }) => id);
    const byPage: unknown[] = [];
    const byCursor: unknown[] = [];
    let cursor: unknown = "*";
    for (let page = 1; cursor !== null; page += 1) {
      byPage.push(...(await read(`${search}&limit=2&page=${page}`)).data.map(({ id }) => id));
      const { text } = await askList(release, "authors", `${search}&limit=2&cursor=${cursor}`);
      const { data, pagination } = cursorPage.parse(JSON.parse(text));
      byCursor.push(...data.map(({ id }) => id));
      cursor = pagination.nextCursor;
    }
    expect([byPage, byCursor]).toEqual([all, all]);
  });

  test.each(["", "search=!", "search=ekblad&sortBy=datasetCount"])(
    "the search “%s” breaks ties by id",
    async (query) => {
      const { data } = await read(`${query}&limit=100`);
      const key = query.includes("datasetCount") ? "datasetCount" : "name";
      const groups = [...Map.groupBy(data, (row) => row[key]).values()].map((rows) => rows.map(({ id }) => String(id)));
      expect(Math.max(...groups.map(({ length }) => length))).toBeGreaterThan(3);
      expect(groups).toEqual(groups.map((ids) => ids.toSorted()));
    },
  );
});
