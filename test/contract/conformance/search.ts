/** Statements about plain-text search on titles and DOIs, on names, and on labels, in every script of the corpus. */

import type { TITLES } from "../corpus.ts";
import { IDENTIFIERS, makeRecordId } from "./addresses.ts";
import { every, expectSome, field, json, NOTHING, OK, rejected, sameAs } from "./expectations.ts";
import { clause, type Expectation, type Row, row, type Statement } from "./statement.ts";
import { exactly, like, listAt, shown, textAt } from "./values.ts";

const encoded = encodeURIComponent;
const titled = (name: keyof typeof TITLES) => makeRecordId(`datacite/10.5072/script-${name}`);

/** Expects a row with this id among the first hundred results. */
function finds(id: string): Expectation {
  return json(`${id} is found`, (body) => {
    const ids = listAt(body, "data").map((entry) => textAt(entry, "id"));
    return ids.includes(id) ? null : `found ${shown(ids)}`;
  });
}

interface Found {
  readonly says: string;
  readonly words: string;
  readonly title: keyof typeof TITLES;
}

/** Search texts, each with the title that the search must find. */
const FOUND: readonly Found[] = [
  { says: "a word as written", words: "Straße", title: "accents" },
  { says: "case does not matter", words: "DONNÉES", title: "accents" },
  { says: "accents do not matter", words: "donnees", title: "accents" },
  { says: "an accent that the title lacks", words: "dè", title: "accents" },
  { says: "ß is ss", words: "strasse", title: "accents" },
  { says: "ł is l", words: "lodz", title: "accents" },
  { says: "a decomposed accent", words: "i\u0302le", title: "accents" },
  { says: "ç is c", words: "facade", title: "accents" },
  { says: "all words, in any order", words: "façade île", title: "accents" },
  { says: "full-width letters", words: "ｓｎｏｗ", title: "joined" },
  { says: "Greek without accents", words: "μετρησεις", title: "greek" },
  { says: "Greek capitals", words: "ΜΕΤΡΉΣΕΙΣ", title: "greek" },
  { says: "a final sigma", words: "θερμοκρασίας", title: "greek" },
  { says: "Cyrillic ё is е", words: "емкость", title: "cyrillic" },
  { says: "Cyrillic capitals", words: "ЩЕЛОЧНЫХ АЛТАЯ", title: "cyrillic" },
  { says: "a Chinese word inside the title", words: "水质", title: "chinese" },
  { says: "two Chinese words", words: "监测 长江", title: "chinese" },
  { says: "a longer Chinese word", words: "水质监测数据", title: "chinese" },
  { says: "one Chinese character", words: "域", title: "chinese" },
  { says: "a Thai word inside the title", words: "น้ำฝน", title: "thai" },
  { says: "punctuation splits words", words: "snow depth", title: "joined" },
  { says: "an apostrophe splits words", words: "hara", title: "joined" },
  { says: "punctuation of the question splits too", words: "depth-snow", title: "joined" },
  { says: "a number", words: "2019", title: "joined" },
  { says: "punctuation at the ends", words: '"ridge", (2020)', title: "joined" },
];

/** Search words that are operators in other search engines, and plain text in this one. */
const PLAIN = [
  "sno*",
  "title:snow",
  "snow OR strasse",
  "-snow depth nosuchword",
  '"depth snow" nosuchword',
  "snow AND NOT depth",
  "sn%",
  "sn_w",
];
const NO_FILTER = ["", " ", "...", "-", "!?", "\u3000", "\"'", "()", "–—"];

const PREFIX = "10.5281/zenodo.99000001";
const DOI_FORMS = [
  PREFIX,
  PREFIX.toUpperCase(),
  `doi:${PREFIX}`,
  `info:doi/${PREFIX}`,
  `urn:doi:${PREFIX}`,
  `https://doi.org/${PREFIX}`,
];

function onRecords(): Row[] {
  const path = (words: string) => `/records?limit=100&search=${encoded(words)}`;
  return [
    ...FOUND.map(({ says, words, title }) =>
      row(`${says}: ${words}`, path(words), OK, finds(titled(title)), expectSome("/records")),
    ),
    row("all words must match", path("snow strasse"), OK, NOTHING),
    row("characters that are not adjacent do not match", path("长质"), OK, NOTHING),
    row("pairs of characters that are apart do not match", path("长江水质"), OK, NOTHING),
    row(
      "a Japanese word inside the title",
      path("土壌水分"),
      OK,
      finds(makeRecordId("datacite/10.5072/title-japanese")),
    ),
    ...PLAIN.map((words) => row(`no operators: ${words}`, path(words), OK, NOTHING)),
    ...NO_FILTER.map((words) =>
      row(
        `a search without a letter or digit does not filter: ${shown(words)}`,
        path(words),
        OK,
        sameAs("/records?limit=100"),
      ),
    ),
    ...DOI_FORMS.map((words) =>
      row(
        `a DOI is found: ${words}`,
        path(words),
        OK,
        field("pagination.total", exactly(1)),
        finds(makeRecordId(IDENTIFIERS.winner)),
      ),
    ),
    row(
      "a DOI is found by its beginning",
      path("10.5072/script-"),
      OK,
      expectSome("/records"),
      finds(titled("thai")),
      every("data", "doi", like(/^10\.5072\/script-/)),
    ),
    row(
      "search of a version's list",
      "/records?limit=100&search=footfall&rubric=1.0",
      OK,
      finds(makeRecordId(IDENTIFIERS.winner)),
    ),
    row("search and a filter", "/records?search=footfall&repository=ClinicalTrials.gov", OK, NOTHING),
    row("once", "/records?search=a&search=b", rejected(400, "invalid-parameter", "search")),
  ];
}

function named(name: string): Expectation {
  return every("data", "name", exactly(name));
}

export const SEARCH: readonly Statement[] = [
  ...clause("interface.md, GET /records filters: search", onRecords()),
  ...clause("interface.md, GET /authors filters: search", [
    row("a family name", "/authors?search=Carberry", OK, expectSome("/authors"), named("Carberry, Josiah")),
    row("given name first", "/authors?search=josiah+carberry", OK, named("Carberry, Josiah")),
    row(
      "case and accents do not matter",
      "/authors?search=celik%20UNAL",
      OK,
      expectSome("/authors"),
      every("data", "name", like(/Çelik/)),
    ),
    row("all words must match", "/authors?search=josiah+abbott", OK, NOTHING),
    row("the name, not the affiliation", "/authors?search=wesmark", OK, NOTHING),
    row("a search without a letter or digit does not filter", "/authors?search=%2C", OK, sameAs("/authors")),
    row("a Japanese name", `/authors?search=${encoded("春香")}`, OK, expectSome("/authors")),
    row("once", "/authors?search=a&search=a", rejected(400, "invalid-parameter", "search")),
  ]),
  ...clause("interface.md, GET /institutions filters: search", [
    row(
      "a word of the label",
      "/institutions?search=wesmark",
      OK,
      expectSome("/institutions"),
      every("data", "label", like(/Wesmark/)),
    ),
    row(
      "accents do not matter",
      "/institutions?search=universitesi%20unye",
      OK,
      expectSome("/institutions"),
      every("data", "label", like(/Ünye Üniversitesi/)),
    ),
    row("all words must match", "/institutions?search=wesmark+brown", OK, NOTHING),
    row(
      "unspaced labels are found by a word inside",
      `/institutions?search=${encoded("青葉大学")}`,
      OK,
      expectSome("/institutions"),
    ),
    row(
      "a search without a letter or digit does not filter",
      "/institutions?search=%20.%20",
      OK,
      sameAs("/institutions"),
    ),
    row("240 characters", `/institutions?search=${"a".repeat(240)}`, OK, NOTHING),
    row("241 characters", `/institutions?search=${"a".repeat(241)}`, rejected(400, "invalid-parameter", "search")),
    row("once", "/institutions?search=a&search=a", rejected(400, "invalid-parameter", "search")),
  ]),
];
