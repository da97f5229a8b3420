// licence-aliases.csv and licence-classes.csv: the SPDX id of a licence as payloads write it, and what the licence allows.
import spdx from "spdx-license-list";
import fullTexts from "spdx-license-list/full.js";
import { describe, expect, it } from "vitest";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { readVocabularyRows } from "./rows-of.ts";

const { licences } = await loadVocabularies();
const ids = Object.keys(spdx).sort();
const aliases = (await readVocabularyRows("licence-aliases.csv")).map((cell) => ({
  match: cell("match"),
  text: cell("text"),
  id: cell("spdx_id"),
}));
const classes = (await readVocabularyRows("licence-classes.csv")).map((cell) => ({
  pattern: cell("pattern"),
  permissive: cell("permissive"),
  open: cell("open"),
}));
const general = aliases.filter(({ id }) => id === "{id}");

describe("each row of licence-aliases.csv", () => {
  it.each(aliases.filter(({ match, id }) => match === "url" && id !== "{id}"))(
    "the URL $text is read as the licence $id",
    ({ text, id }) => {
      for (const url of [text, `http://${text}`, `https://www.${text}/?ref=x#top`, `HTTPS://${text.toUpperCase()}/`]) {
        expect(licences.resolve([url])).toBe(id);
      }
    },
  );

  it.each(aliases.filter(({ match }) => match === "text"))(
    "the text $text is read as the licence $id",
    ({ text, id }) => {
      for (const spelling of [text, ` ${text.toUpperCase()}. `, text.replaceAll(" ", "-")]) {
        expect(licences.resolve([spelling])).toBe(id);
      }
    },
  );

  it.each(general)("a URL of the form $text is read as the licence id in it, for every SPDX id", ({ text }) => {
    const wrong = ids.filter((id) => licences.resolve([`https://${text.replace("{id}", id)}.html`]) !== id);
    expect(wrong).toEqual([]);
  });
});

describe("recognising the licences of the SPDX list", () => {
  it("every SPDX id is recognised in any case and with spaces", () => {
    const spellings = (id: string): string[] => [id, id.toLowerCase(), id.toUpperCase(), id.replaceAll("-", " ")];
    expect(ids.filter((id) => spellings(id).some((spelling) => licences.resolve([spelling]) !== id))).toEqual([]);
  });

  it("the full name of every SPDX licence is recognised as an id with this name", () => {
    const findName = (id: string): string => spdx[id]?.name ?? "";
    const wrong = ids.filter((id) => findName(licences.resolve([findName(id)])) !== findName(id));
    // The package gives the deprecated AGPL-3.0 another name than its successor. The alias table covers both.
    expect(wrong).toEqual(["AGPL-3.0"]);
  });

  it.each(["GPL-2.0", "GPL-3.0", "LGPL-2.1", "AGPL-3.0"])(
    "the full name of %s is read as the id of its successor, which ends with -only",
    (id) => {
      expect(licences.resolve([spdx[`${id}-only`]?.name ?? ""])).toBe(`${id}-only`);
      expect(licences.resolve([id.toLowerCase()])).toBe(id);
    },
  );
});

describe("the full texts of licences", () => {
  it.each(["CC0-1.0", "DL-DE-BY-2.0", "PolyForm-Noncommercial-1.0.0"])(
    "the text of %s is read as this licence, because its own conditions are not additional",
    (id) => {
      expect(licences.resolve([fullTexts[id]?.licenseText ?? ""])).toBe(id);
    },
  );
});

describe("reading licences as payloads state them", () => {
  const cases: [string[], string][] = [
    [["https://creativecommons.org/licenses/by/4.0/legalcode"], "CC-BY-4.0"],
    [["https://creativecommons.org/licenses/by/4.0/legalcode.de"], "CC-BY-4.0"],
    [["http://creativecommons.org/licenses/by/4.0/deed.en_US"], "CC-BY-4.0"],
    [["http://creativecommons.org/licenses/by/3.0/us"], "CC-BY-3.0-US"],
    [["http://creativecommons.org/licenses/by/2.0/uk/legalcode"], ""],
    [["http://creativecommons.org/licenses/by-nc-nd/3.0/gr/"], ""],
    [["http://creativecommons.org/licenses/publicdomain/zero/1.0"], "CC0-1.0"],
    [["https://creativecommons.org/share-your-work/public-domain/cc0"], "CC0-1.0"],
    [["https://creativecommons.org/publicdomain/mark/1.0/"], "CC-PDM-1.0"],
    [["<https://creativecommons.org/licenses/by/4.0/>"], "CC-BY-4.0"],
    [["https://creativecommons.org/licenses/"], ""],
    [["https://creativecommons.org"], ""],
    [["http://opendatacommons.org/licenses/pddl"], "PDDL-1.0"],
    [["http://www.apache.org/licenses/LICENSE-2.0.txt"], "Apache-2.0"],
    [["https://www.gnu.org/licenses/gpl-3.0.en.html"], "GPL-3.0-only"],
    [["http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"], "OGL-UK-3.0"],
    [["cc-by-4.0"], "CC-BY-4.0"],
    [["CC_BY_4.0"], "CC-BY-4.0"],
    [["CC BY 4.0"], "CC-BY-4.0"],
    [["Creative Commons Attribution 4.0 International"], "CC-BY-4.0"],
    [["Creative Commons Attribution 4.0 International Public License"], "CC-BY-4.0"],
    [["Creative Commons Attribution-NonCommercial-NoDerivatives 4.0 (International) Licence"], "CC-BY-NC-ND-4.0"],
    [["Attribution 4.0 International (CC BY 4.0)"], "CC-BY-4.0"],
    [["CC0 1.0 Universal License"], "CC0-1.0"],
    [["CC0 1.0 License"], "CC0-1.0"],
    [["CC0 v1.0 Universal"], "CC0-1.0"],
    [["CC BY-SA 4.0 International License"], "CC-BY-SA-4.0"],
    [["CC-BY-4.0 Licence."], "CC-BY-4.0"],
    [["License"], ""],
    [["Our License"], ""],
    [["Public Domain License"], ""],
    [["ＣＣ０"], "CC0-1.0"],
    [["cc-zero"], "CC0-1.0"],
    [["GPL-2.0+"], "GPL-2.0+"],
    [["GPL-2.0"], "GPL-2.0"],
    [["etalab-2.0"], "etalab-2.0"],
    [["info:eu-repo/semantics/openAccess"], ""],
    [["cc-by"], ""],
    [["CC-BY"], ""],
    [["other-open"], ""],
    [["other-pd"], ""],
    [["In Copyright"], ""],
    [["All rights reserved"], ""],
    [["Public Domain"], ""],
    [["constructor"], ""],
    [["__proto__"], ""],
    [[""], ""],
    [[], ""],
    [["CC-BY", "http://creativecommons.org/licenses/by/3.0/us"], "CC-BY-3.0-US"],
    [["", "MIT License", "cc-by-4.0"], "MIT"],
    [["x".repeat(100_000), "MIT"], "MIT"],
    [["licensed under CC0"], "CC0-1.0"],
    [["The data are made available under the Open Database License."], "ODbL-1.0"],
    [['Licensed under the Apache License, Version 2.0 (the "License").'], "Apache-2.0"],
    [["License: CC-BY-4.0"], "CC-BY-4.0"],
    [["Terms of use: see https://creativecommons.org/licenses/by/4.0/."], "CC-BY-4.0"],
    [[`${"Please cite us. ".repeat(40)}The data are licensed under CC BY 4.0.`], "CC-BY-4.0"],
    [["The data are licensed under CC BY."], ""],
    [["This is not licensed under CC0."], ""],
    [["The data may not be used as if they were licensed under CC0"], ""],
    [["Data under CC0, code under the MIT License"], ""],
    [["The data are licensed under CC BY 4.0, with additional restrictions on re-identification."], ""],
    [["Licensed under CC BY 4.0 for non-commercial use only"], ""],
    [["Licensed under CC0, for noncommercial purposes"], ""],
    [["Licensed under CC BY 4.0, only for academic use"], ""],
    [["Licensed under CC BY 4.0. Redistribution is not permitted."], ""],
    [["Released under the MIT license; commercial use requires permission"], ""],
    [["Licensed under CC BY-NC 4.0, only for non-commercial use"], "CC-BY-NC-4.0"],
    [["Licensed under the Creative Commons Attribution-NonCommercial 4.0 License. No commercial use."], "CC-BY-NC-4.0"],
    [["Licensed under CC BY-NC 4.0, only for academic use"], ""],
    [["Licensed under CC BY 4.0, which permits commercial and non-commercial use"], "CC-BY-4.0"],
    [["All but the images are thunder CC0"], ""],
    [["available under fair use"], ""],
    [["under review"], ""],
    [["Data under CC BY, code under the MIT License"], ""],
    [["The data are licensed under CC BY (https://creativecommons.org/licenses/by/4.0/)."], "CC-BY-4.0"],
    [["licensed under CC0", "MIT"], "MIT"],
    [
      [
        "https://creativecommons.org/licenses/by-nc/4.0",
        'Governed by the terms of the Creative Commons "Attribution-NonCommercial-NoDerivatives 4.0 International" License <https://creativecommons.org/licenses/by-nc/4.0/>',
      ],
      "",
    ],
    [["CC0", "Data under CC0, code under the MIT License"], ""],
    [
      [
        "https://creativecommons.org/licenses/by/3.0/us/",
        "Licensed under CC BY 3.0 (https://creativecommons.org/licenses/by/3.0/us/)",
      ],
      "CC-BY-3.0-US",
    ],
    [[`${"under ".repeat(20_000)}`], ""],
    [[`${"https://creativecommons.org/".repeat(5000)}`], ""],
  ];
  it.each(cases)("the licence texts %j have the SPDX id %j", (texts, id) => {
    expect(licences.resolve(texts)).toBe(id);
  });
});

describe("statements on the licence of metadata", () => {
  const cases: [string, boolean][] = [
    [
      "All metadata from this archive are available under the Creative Commons CC0 1.0. Please name the data providers.",
      true,
    ],
    ["Alle im Katalog veröffentlichten Metadaten sind frei verfügbar unter CC0.", true],
    ["License: CC0 (metadata)", true],
    ["Data and metadata are available under CC0", false],
    ["Metadata: CC0. Data: CC BY 4.0", false],
    ["Metadata are available under CC0; the dataset is available under CC BY 4.0.", false],
    ["The data are licensed under CC0, and their metadata follow DataCite.", false],
    ["CC0", false],
    ["", false],
    ["metadata ".repeat(100_000), true],
  ];
  it.each(cases)("the text %j is only about the metadata: %j", (text, expected) => {
    expect(licences.isAboutMetadata(text)).toBe(expected);
  });
});

describe("Creative Commons licences without a version or an SPDX id", () => {
  const cases: [string, string, boolean, boolean][] = [
    ["CC BY", "CC-BY", true, true],
    ["cc-by", "CC-BY", true, true],
    ["CC BY SA", "CC-BY-SA", true, false],
    ["CC-BY-SA", "CC-BY-SA", true, false],
    ["CC BY-NC", "CC-BY-NC", false, false],
    ["CC BY ND", "CC-BY-ND", false, false],
    ["CC BY NC SA", "CC-BY-NC-SA", false, false],
    ["CC BY NC ND", "CC-BY-NC-ND", false, false],
    ["Creative Commons Attribution", "CC-BY", true, true],
    ["Creative Commons Attribution-NonCommercial-NoDerivatives", "CC-BY-NC-ND", false, false],
    ["Creative Commons Attribution-ShareAlike License", "CC-BY-SA", true, false],
    ["Attribution-NonCommercial (CC BY-NC)", "CC-BY-NC", false, false],
    ["https://creativecommons.org/licenses/by-sa/", "CC-BY-SA", true, false],
    ["The data are licensed under CC BY.", "CC-BY", true, true],
    ["https://creativecommons.org/licenses/by/2.5/ca/", "CC-BY", true, true],
    ["http://creativecommons.org/licenses/by/2.5/scotland/", "CC-BY", true, true],
    ["http://creativecommons.org/licenses/by-sa/3.0/us/deed.en_US", "CC-BY-SA", true, false],
    ["https://creativecommons.org/licenses/by-sa/2.5/es/legalcode", "CC-BY-SA", true, false],
    ["https://creativecommons.org/licenses/by-nc-sa/3.0/us", "CC-BY-NC-SA", false, false],
  ];
  it.each(cases)(
    "the licence %j without a version or an SPDX id is %s (open: %j, permissive: %j)",
    (text, name, open, permissive) => {
      expect(licences.resolve([text])).toBe("");
      expect(licences.resolveUnversioned([text])).toBe(name);
      expect([licences.isOpen(name), licences.isPermissive(name)]).toEqual([open, permissive]);
    },
  );

  const others = ["https://creativecommons.org/licenses/by/9.9/us/", "https://creativecommons.org/licenses/x/3.0/us/"];
  it.each([...others, "CC BY 4.0", "CC0", "GPL", "Apache", "Attribution", "BY", "CC", "CC BY 9.9", "no CC BY", ""])(
    "the text %j is not read as a Creative Commons licence without a version",
    (text) => {
      expect(licences.resolveUnversioned([text])).toBe("");
    },
  );

  it("Creative Commons licences allow the same in every version", () => {
    const findClass = (id: string) => [licences.isOpen(id), licences.isPermissive(id)];
    const versioned = ids.filter((id) => id.startsWith("CC-BY-"));
    const different = versioned.filter((id) => `${findClass(id)}` !== `${findClass(id.replace(/-\d.*/, ""))}`);
    expect(versioned.length).toBeGreaterThan(30);
    expect(different).toEqual([]);
  });
});

describe("open and permissive licences in licence-classes.csv", () => {
  const fits = (pattern: string, id: string): boolean => {
    const [first = "", ...rest] = pattern.split("*");
    if (!id.startsWith(first)) return false;
    let position = first.length;
    for (const part of rest) {
      const found = part === "" ? position : id.indexOf(part, position);
      if (found === -1) return false;
      position = found + part.length;
    }
    return pattern.endsWith("*") || id.length === position;
  };
  const findClass = (id: string) => classes.find(({ pattern }) => fits(pattern, id));

  it.each(classes)(
    "the licences whose first matching row is $pattern have permissive: $permissive, and open: $open",
    (row) => {
      const own = ids.filter((id) => findClass(id) === row);
      expect(own.length).toBeGreaterThan(0);
      for (const id of own) {
        expect(licences.isPermissive(id)).toBe(row.permissive === "yes");
        expect(licences.isOpen(id)).toBe(row.open === "osi" ? spdx[id]?.osiApproved : row.open === "yes");
      }
    },
  );

  it.each(ids.filter((id) => /-NC-|-NC$|-ND-/.test(id) && id.startsWith("CC-")))(
    "the licence %s is neither open nor permissive",
    (id) => {
      expect([licences.isOpen(id), licences.isPermissive(id)]).toEqual([false, false]);
    },
  );

  it.each(ids.filter((id) => /-SA-|GPL-|^ODbL|^EUPL|^MPL/.test(id)))("the licence %s is not permissive", (id) => {
    expect(licences.isPermissive(id)).toBe(false);
  });

  it.each(ids.filter((id) => spdx[id]?.osiApproved))("the licence %s is open, because OSI approved it", (id) => {
    expect(licences.isOpen(id)).toBe(true);
  });

  const cases: [string, boolean, boolean][] = [
    ["CC0-1.0", true, true],
    ["CC-BY-4.0", true, true],
    ["CC-BY-3.0-IGO", true, true],
    ["CC-BY-SA-4.0", true, false],
    ["CC-BY-NC-4.0", false, false],
    ["CC-BY-ND-4.0", false, false],
    ["ODbL-1.0", true, false],
    ["ODC-By-1.0", true, true],
    ["PDDL-1.0", true, true],
    ["MIT", true, true],
    ["GPL-3.0-only", true, false],
    ["GPL-2.0", true, false],
    ["GFDL-1.3-invariants-only", false, false],
    ["GFDL-1.3-no-invariants-only", true, false],
    ["JSON", false, false],
    ["", false, false],
    ["mit", false, false],
  ];
  it.each(cases)("the licence %j has open: %j, and permissive: %j", (id, open, permissive) => {
    expect([licences.isOpen(id), licences.isPermissive(id)]).toEqual([open, permissive]);
  });
});
