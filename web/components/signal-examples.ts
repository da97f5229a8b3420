/**
 * Examples for each signal: metadata that pass the signal, metadata that do not, and a note on errors that the check
 * cannot see. The examples are metadata of a deposit at Zenodo, and a test scores each of them.
 */

/** Metadata of a deposit, and the names of its files. */
export interface ExampleDraft {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly files?: readonly string[];
}

interface Example {
  readonly draft: ExampleDraft;
  readonly words: string;
}

export interface SignalExamples {
  readonly passes: Example;
  readonly fails: Example;
  /** A note on cases in which the result can be wrong, or says less than it seems to. */
  readonly misses: string;
}

const JANE = { name: "Doe, Jane" };
const JOSIAH = { name: "Carberry, Josiah", orcid: "0000-0002-1825-0097" };
const SUMMARY = "Heights of the tide at an invented gauge, every ten minutes from 2019 to 2025, in metres above datum.";

const keywords = (...words: readonly string[]): ExampleDraft => ({ metadata: { keywords: words } });
const files = (...names: readonly string[]): ExampleDraft => ({ files: names, metadata: { access_right: "open" } });

/** Examples by the id of the signal. There are none for 1.0, in which the signals of bucket R ask other questions. */
export const SIGNAL_EXAMPLES: Readonly<Record<string, SignalExamples>> = {
  S1: {
    passes: { draft: keywords("tides"), words: "one keyword: tides" },
    fails: { draft: keywords("N/A"), words: "the keyword “N/A”, which is a placeholder" },
    misses: "The check does not know whether a keyword fits the data: “data” passes too.",
  },
  S2: {
    passes: { draft: keywords("tides", "sea level", "North Sea"), words: "tides, sea level, North Sea" },
    fails: { draft: keywords("tides", "Tides", "sea level"), words: "tides, Tides, sea level: two different words" },
    misses: "Three keywords in one text, such as “tides; sea level; North Sea”, count once. Enter them one by one.",
  },
  S3: {
    passes: {
      draft: { metadata: { creators: [JOSIAH], contributors: [{ ...JANE, type: "Other" }] } },
      words: "Josiah Carberry is the creator, and Jane Doe is a contributor",
    },
    fails: {
      draft: { metadata: { creators: [JOSIAH], contributors: [{ ...JOSIAH, type: "ContactPerson" }] } },
      words: "the only contributor is the creator",
    },
    misses:
      "People who are only thanked in the description are not found. A dataset that one person made alone cannot pass.",
  },
  S4: {
    passes: {
      draft: { metadata: { creators: [JOSIAH], contributors: [{ ...JANE, type: "DataCurator" }] } },
      words: "Jane Doe has the role DataCurator",
    },
    fails: {
      draft: { metadata: { creators: [JOSIAH], contributors: [{ ...JANE, type: "Other" }] } },
      words: "Jane Doe has the role Other",
    },
    misses: "The check cannot know whether the role is the right one.",
  },
  S5: {
    passes: {
      draft: {
        metadata: {
          subjects: [{ term: "Tides", identifier: "http://id.loc.gov/authorities/subjects/sh85135336", scheme: "url" }],
        },
      },
      words: "the term Tides with its address in the Library of Congress Subject Headings",
    },
    fails: { draft: { metadata: { keywords: ["tides"], subjects: [] } }, words: "the free keyword tides" },
    misses:
      "A term of a vocabulary counts only if the metadata name the vocabulary, so a term that was copied as a keyword is missed.",
  },
  H1: {
    passes: { draft: { metadata: { description: SUMMARY } }, words: `“${SUMMARY}” (${SUMMARY.length} characters)` },
    fails: {
      draft: { metadata: { description: "Heights of the tide." } },
      words: "“Heights of the tide.” (20 characters)",
    },
    misses:
      "Length is not quality. A precise sentence of 80 characters does not pass, and 100 characters of boilerplate do.",
  },
  H2: {
    passes: {
      draft: { metadata: { description: `${SUMMARY} `.repeat(3) } },
      words: "three sentences of a hundred characters each",
    },
    fails: { draft: { metadata: { description: SUMMARY } }, words: `one sentence of ${SUMMARY.length} characters` },
    misses:
      "The check counts characters without markup, in any language. Chinese and Japanese say more in 300 characters than English does.",
  },
  H3: {
    passes: {
      draft: {
        metadata: { method: "A pressure sensor on the pier recorded heights; outliers above 3 sigma were removed." },
      },
      words: "a methods section that names the sensor and the processing",
    },
    fails: { draft: { metadata: { method: "See our paper." } }, words: "“See our paper.”" },
    misses:
      "Methods inside the general description do not count, because no program can tell where they begin. Many forms have no field for methods; then the signal is not possible.",
  },
  H4: {
    passes: {
      draft: { metadata: { references: ["Doe, J. (2019): Gauges and tides."], related_identifiers: [] } },
      words: "one cited work",
    },
    fails: { draft: { metadata: { references: [], related_identifiers: [] } }, words: "no cited work" },
    misses:
      "A work that only the description mentions is not counted. If its DOI is there, the next steps show it ready to paste.",
  },
  H5: {
    passes: {
      draft: {
        metadata: {
          references: ["Doe, J. (2019): Gauges and tides. https://doi.org/10.1000/gauges"],
          related_identifiers: [],
        },
      },
      words: "the citation ends in a DOI",
    },
    fails: {
      draft: { metadata: { references: ["Doe, J. (2019): Gauges and tides."], related_identifiers: [] } },
      words: "the citation has author, year and title only",
    },
    misses: "We do not follow the identifier, so one with a typing error passes.",
  },
  A1: {
    passes: { draft: { metadata: { license: "cc-by-4.0" } }, words: "CC BY 4.0" },
    fails: { draft: { metadata: { license: "" } }, words: "no licence" },
    misses: "A licence that is only in a README or in the description is not found.",
  },
  A2: {
    passes: { draft: { metadata: { license: "cc-by-4.0" } }, words: "CC BY 4.0, which SPDX lists as CC-BY-4.0" },
    fails: { draft: { metadata: { license: "free for academics" } }, words: "“free for academics”" },
    misses:
      "We know some 1,700 spellings of licences. A rare spelling of a standard licence may not be among them; please report it.",
  },
  A3: {
    passes: { draft: { metadata: { license: "cc-by-4.0" } }, words: "CC BY 4.0" },
    fails: { draft: { metadata: { license: "cc-by-nc-4.0" } }, words: "CC BY-NC 4.0, which excludes commercial use" },
    misses: "Sensitive data often cannot have an open licence. Then “no” is right, and not a fault.",
  },
  A4: {
    passes: { draft: { metadata: { access_right: "restricted" } }, words: "restricted: any stated level passes" },
    fails: { draft: { metadata: { access_right: "" } }, words: "no access level" },
    misses: "The check reads the statement. It does not test whether a file can be downloaded.",
  },
  A5: {
    passes: { draft: { metadata: { access_right: "open" } }, words: "open" },
    fails: {
      draft: { metadata: { access_right: "embargoed", embargo_date: "2099-01-01" } },
      words: "embargoed until 2099",
    },
    misses: "Data about people or endangered species often must stay closed. The signal then says “no” truthfully.",
  },
  R1: {
    passes: { draft: files("tide-heights.csv", "README.md"), words: "tide-heights.csv and README.md" },
    fails: { draft: files("tide-heights.csv"), words: "tide-heights.csv alone" },
    misses:
      "Documentation inside an archive, or in a sheet of a workbook, is not seen, because we read names of files and open none.",
  },
  R2: {
    passes: { draft: files("tide-heights.csv", "clean_heights.py"), words: "tide-heights.csv and clean_heights.py" },
    fails: {
      draft: { ...files("tide-heights.csv"), metadata: { access_right: "open", related_identifiers: [] } },
      words: "tide-heights.csv, and no link to code",
    },
    misses:
      "A script in an archive is not seen. A link to any repository on a code host passes, even if the code is not that of the data.",
  },
  R3: {
    passes: { draft: files("tide-heights.csv", "datapackage.json"), words: "tide-heights.csv and datapackage.json" },
    fails: { draft: files("tide-heights.csv"), words: "tide-heights.csv alone" },
    misses: "A manifest counts by its name. An empty datapackage.json passes.",
  },
  R4: {
    passes: { draft: files("tide-heights.csv"), words: "tide-heights.csv" },
    fails: { draft: files("tides.zip"), words: "tides.zip" },
    misses:
      "Open files in an archive are not seen. A format of a small field can be open although our list does not have it; please report it.",
  },
  R5: {
    passes: { draft: files("tide-heights-2025.csv", "data1.csv"), words: "one of two names is descriptive" },
    fails: { draft: files("data1.csv", "final_v2.csv"), words: "data1.csv and final_v2.csv" },
    misses: "Codes that are clear in one field, such as names of genes or stations, can count as counters.",
  },
  E1: {
    passes: { draft: { metadata: { creators: [JOSIAH, JANE] } }, words: "one of two creators has an ORCID iD" },
    fails: { draft: { metadata: { creators: [JANE] } }, words: "the only creator has no ORCID iD" },
    misses: "The check verifies the check digit of an iD, but not that it belongs to this person.",
  },
  E2: {
    passes: { draft: { metadata: { creators: [JOSIAH] } }, words: "every creator who is a person has an iD" },
    fails: { draft: { metadata: { creators: [JOSIAH, JANE] } }, words: "one of two creators has no ORCID iD" },
    misses: "People who died or left research cannot register for an iD, so some datasets cannot pass.",
  },
  E3: {
    passes: {
      draft: { metadata: { grants: [{ funder: { name: "Elsewhere Science Fund" }, code: "IS-2024-7" }] } },
      words: "Elsewhere Science Fund",
    },
    fails: { draft: { metadata: { grants: [] } }, words: "no funder" },
    misses:
      "Research without a grant has no funder to name. A funder that is only in the description or among the contributors does not count.",
  },
  E4: {
    passes: {
      draft: { metadata: { grants: [{ funder: { name: "Elsewhere Science Fund" }, code: "IS-2024-7" }] } },
      words: "Elsewhere Science Fund, award IS-2024-7",
    },
    fails: {
      draft: { metadata: { grants: [{ funder: { name: "Elsewhere Science Fund" } }] } },
      words: "Elsewhere Science Fund, without an award number",
    },
    misses: "The form of a number is not checked, because each funder has its own.",
  },
  E5: {
    passes: {
      draft: { metadata: { related_identifiers: [{ identifier: "10.1000/tides", relation: "isSupplementTo" }] } },
      words: "the DOI of the paper, with the relation isSupplementTo",
    },
    fails: {
      draft: { metadata: { related_identifiers: [{ identifier: "10.1000/older", relation: "isNewVersionOf" }] } },
      words: "only the DOI of an earlier version of the same dataset",
    },
    misses:
      "A link from the other side, for example from the paper to the data, is in the paper's metadata and is not seen.",
  },
};
