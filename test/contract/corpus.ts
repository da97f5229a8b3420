/** The corpus of the contract's releases: the bundled payloads, and invented deposits for single statements. */

import { dataciteRecord, prolificRecords, zenodoRecord } from "../release/prolific.ts";
import type { Build, StoreContent } from "../support/temporary-store.ts";

/** A label that cannot be a file name. */
export const ODD_LABEL = "Dépôt R&D/100% “data” ..";

/** Titles in scripts with different rules for folding, splitting and joining words. */
export const TITLES = {
  accents: "Données de la Straße à Łódź, île et façade",
  greek: "Μετρήσεις ΘΕΡΜΟΚΡΑΣΊΑΣ του Αιγαίου",
  cyrillic: "Ёмкость щелочных озёр Алтая",
  chinese: "长江流域水质监测数据集",
  thai: "ข้อมูลปริมาณน้ำฝนรายวัน",
  joined: "Snow-depth (2019/2020): O'Hara's ridge",
  tie: "The same title three times",
} as const;

/** Returns a DataCite record with this title. `attributes` replace the usual ones. */
function titled(id: string, title: string | null, attributes: object = {}) {
  const { attributes: plain, ...record } = dataciteRecord(id, "Contract Archive");
  return { ...record, attributes: { ...plain, titles: title === null ? [] : [{ title }], ...attributes } };
}

function creator(name: string, affiliation: string, orcid?: string) {
  const [familyName = "", givenName = ""] = name.split(", ");
  const nameIdentifiers = orcid === undefined ? [] : [{ nameIdentifier: orcid, nameIdentifierScheme: "ORCID" }];
  return { name, nameType: "Personal", familyName, givenName, affiliation: [affiliation], nameIdentifiers };
}

/** Attributes with enough evidence for a total. A record with fewer has no total. */
const JUDGED = {
  subjects: [{ subject: "Rivers" }],
  contributors: [],
  descriptions: [{ description: "The levels at a gauge of a small river, hour by hour.", descriptionType: "Abstract" }],
  rightsList: [{ rightsIdentifier: "cc-by-4.0" }],
  relatedIdentifiers: [],
  fundingReferences: [],
};

function registryRecords() {
  const dated = (date: string) => ({ dates: [{ date, dateType: "Issued" }] });
  const ties = ["tie-b", "tie-a", "tie-c"].map((id) => titled(id, TITLES.tie, dated("2020-02-02")));
  return [
    ...Object.entries(TITLES)
      .filter(([name]) => name !== "tie")
      .map(([name, title]) => titled(`script-${name}`, title)),
    ...ties,
    titled("no-title", null, { publicationYear: null, dates: [] }),
    titled("odd-label", "A label that can name no file", { ...JUDGED, publisher: ODD_LABEL }),
    // Formulas for spreadsheets, and characters that CSV must quote.
    titled("formula", '=HYPERLINK("http://example.org"),\n"quoted"'),
    titled("namesake-1", "One of two", { ...JUDGED, creators: [creator("Çelik, Ünal", "Ünye Üniversitesi, Türkiye")] }),
    titled("namesake-2", "Two of two", {
      ...JUDGED,
      creators: [creator("Çelik, Ünal", "Institute of Two, Austria", "0000-0005-1299-0037")],
    }),
  ];
}

interface Corpus {
  /** The sources whose bundled payloads are used; by default, all of them. */
  readonly bundled?: readonly string[];
  /** Number of generated records of each of three sources. */
  readonly generated?: number;
  readonly builds: readonly [Build, ...Build[]];
}

/** Returns the content of a store: the bundled corpus, the invented deposits, and the releases that are built from them. */
export function contractContent({ bundled, generated: each, builds: [first, ...others] }: Corpus): StoreContent {
  const unlike = zenodoRecord({ id: 99_300_001, keywords: 2, creator: "Moss, Ida", orcid: null });
  const records = { datacite: registryRecords(), zenodo: [...prolificRecords(), unlike] };
  return {
    bundled: bundled ?? true,
    ...(each === undefined
      ? {}
      : { generated: { datacite: each, zenodo: each, clinicaltrials: each, seed: 20_261_101 } }),
    builds: [{ ...first, records }, ...others],
  };
}
