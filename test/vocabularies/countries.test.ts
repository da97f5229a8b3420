// country-aliases.csv, country-ambiguous.csv and country-regions.csv: the country at the end of an affiliation.
import iso from "i18n-iso-countries";
import { describe, expect, it } from "vitest";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { readVocabularyRows } from "./rows-of.ts";

const { countries } = await loadVocabularies();
const findCountry = (text: string) => countries.ofAffiliation(text)?.alpha3 ?? null;
const aliases = (await readVocabularyRows("country-aliases.csv")).map((cell) => ({
  alias: cell("alias"),
  alpha3: cell("alpha3"),
}));
const ambiguous = (await readVocabularyRows("country-ambiguous.csv")).map((cell) => cell("code"));
const assigned = Object.entries(iso.getAlpha2Codes());

describe("each row of country-aliases.csv", () => {
  it.each(aliases)("$alias at the end of an affiliation is read as the country $alpha3", ({ alias, alpha3 }) => {
    expect(findCountry(`Institute of Wells, ${alias}`)).toBe(alpha3);
    expect(findCountry(`${alias.toUpperCase()}.`)).toBe(alpha3);
    // An alias in brackets after a name is read as a country: "Institute of Russia (Russia)".
    if (!alias.endsWith(")")) expect(findCountry(`Institute of ${alias}`)).not.toBe(alpha3);
  });
});

describe("reading country codes and names", () => {
  it.each(ambiguous)("the ambiguous code %s at the end of an address is not read as a country", (code) => {
    expect(findCountry(`Institute of Wells, Springfield, ${code}`)).toBeNull();
  });

  it.each(assigned.filter(([alpha2]) => !ambiguous.includes(alpha2)))(
    "the code %s at the end of an affiliation is read as the country %s",
    (alpha2, alpha3) => {
      expect(findCountry(`Institute of Wells, ${alpha2}`)).toBe(alpha3);
    },
  );

  it.each(assigned.filter(([, alpha3]) => !ambiguous.includes(alpha3)))(
    "the two-letter country %s is also read from its code of three letters, %s",
    (_, alpha3) => {
      expect(findCountry(`Institute of Wells, ${alpha3}`)).toBe(alpha3);
    },
  );

  it.each(assigned)("the country %s has the assigned code %s and a name", (alpha2, alpha3) => {
    expect(countries.isAssigned(alpha3)).toBe(true);
    expect(countries.isAssigned(alpha3.toLowerCase())).toBe(true);
    expect(countries.isAssigned(alpha2)).toBe(false);
    expect(countries.findName(alpha3)).toBe(iso.getName(alpha2, "en"));
  });

  it.each(["ZZZ", "", "USAA", "constructor", "840"])("%j is not an assigned code", (code) => {
    expect(countries.isAssigned(code)).toBe(false);
  });

  it.each(["ZZZ", "", "__proto__"])("the code %j has no name", (code) => {
    expect(countries.findName(code)).toBeNull();
  });
});

const regions = (await readVocabularyRows("country-regions.csv")).map((cell) => ({
  name: cell("name"),
  code: cell("code"),
  alpha3: cell("alpha3"),
  alone: cell("alone"),
}));
const POSTAL = new Map([
  ["USA", ["30602", "30602-1234"]],
  ["CAN", ["M5S 1A1", "M5S1A1"]],
  ["AUS", ["3010"]],
]);

describe("each row of country-regions.csv", () => {
  it.each(regions)(
    "the region $name or $code with a postal code is in the country $alpha3",
    ({ name, code, alpha3 }) => {
      for (const postal of POSTAL.get(alpha3) ?? []) {
        for (const part of [name, name.toUpperCase(), code]) {
          const read = countries.ofAffiliation(`Institute of Wells, Springfield, ${part} ${postal}`);
          expect(read).toEqual({ alpha3, basis: "region" });
        }
      }
    },
  );

  it.each(regions)(
    "without a postal code, the country of $name or $code is read as $alpha3 from: $alone",
    ({ name, code, alpha3, alone }) => {
      const region = { alpha3, basis: "region" };
      const read = (part: string) => countries.ofAffiliation(`Institute of Wells, Springfield, ${part}`);
      if (alone === "both" || alone === "name") expect(read(name)).toEqual(region);
      else expect(read(name)?.basis).not.toBe("region");
      if (alone === "both" || alone === "code") expect(read(code)).toEqual(region);
      else expect(read(code)?.basis).not.toBe("region");
    },
  );

  it.each(regions)("the region $name in the name of an institution is not read as its country", ({ name, code }) => {
    for (const text of [`University of ${name}`, `${name} State University`, name, code, `Univ. ${name}`]) {
      expect(countries.ofAffiliation(text)?.basis).not.toBe("region");
    }
    expect(findCountry(`University of ${name}`)).toBeNull();
    expect(findCountry(`Institute of Wells, University of ${name}`)).toBeNull();
    expect(findCountry(`Univ. ${name}`)).toBeNull();
  });

  it.each(regions.filter(({ alone }) => alone === "both" || alone === "code"))(
    "the code $code of a region is not read as a country in a field for countries",
    ({ code }) => {
      expect(countries.ofStatement(code)).toBeNull();
    },
  );
});

describe("the country at the end of an affiliation", () => {
  const cases: [string, string | null][] = [
    ["Wells University; Institute of Rain; Spain", "ESP"],
    ["Institute of Rain, Spain; ", "ESP"],
    ["Institute of Rain, Spain. Electronic address:", "ESP"],
    ["Institute of Rain, Spain, E-mail:", "ESP"],
    ["Institute of Rain (Spain)", "ESP"],
    ["Institute of Rain (IR) (Spain).", "ESP"],
    ["Institute of Rain - Spain", "ESP"],
    ["Institute of Rain – Spain", "ESP"],
    ["University of Oslo. Norway", "NOR"],
    ["Institute of Rain, Madrid. Spain.", "ESP"],
    ["Wells, 1-2-3 Tokyo, Japan 113-0033", "JPN"],
    ["Wells, Bonn, D-53113 Germany", "DEU"],
    ["Wells, Oxford, OX1 3QD UK", "GBR"],
    ["Athens, Georgia 30602", "USA"],
    ["Tbilisi, Georgia 0105", "GEO"],
    ["Univ. Norway", null],
    ["Dept. Phys. Univ. Mexico", null],
    ["Wells (Georgia)", null],
    ["Wells - Georgia", null],
    ["Seoul, N. Korea", null],
    ["Institute of Rain (IN)", null],
    ["Segrate, MI", null],
    ["Perth, WA", null],
    ["Springfield, XX 30602", null],
    ["Springfield, 30602", null],
    ["Peking University P. R. China", null],
  ];
  it.each(cases)("the country at the end of %j is %j", (text, alpha3) => {
    expect(findCountry(text)).toBe(alpha3);
  });
});

describe("reading a field for countries", () => {
  it.each([
    ["Norway", "NOR"],
    ["NO", "NOR"],
    ["USA", "USA"],
    ["Georgia", "GEO"],
    ["CA", null],
    ["Colorado", null],
    ["", null],
  ])("a field for countries with the text %j is read as %j", (text, alpha3) => {
    expect(countries.ofStatement(text)).toBe(alpha3);
  });
});

describe("finding the country of an affiliation", () => {
  const cases: [string, string | null][] = [
    ["University of Georgia", null],
    ["Tbilisi State University, Georgia", "GEO"],
    ["Harvard Medical School, Boston, MA, USA", "USA"],
    ["Boston, MA", null],
    ["University of California, Davis, CA", null],
    ["Universität Bremen, DE", null],
    ["KEK, Tsukuba, Japan", "JPN"],
    ["Université de Paris, FRANCE.", "FRA"],
    ["Univ. of Oslo, Oslo , norway ;", "NOR"],
    ["Chemistry Dept., U.S.A.", "USA"],
    ["Leiden University, The Netherlands", "NLD"],
    ["Peking University, P. R. China", "CHN"],
    ["Институт археологии РАН, Москва, Россия", "RUS"],
    ["KU Leuven, 3001 Leuven, België", "BEL"],
    ["Université Félix Houphouët-Boigny, Côte d’Ivoire", "CIV"],
    ["Boğaziçi University, Türkiye", "TUR"],
    ["Brazzaville, Congo", null],
    ["Harvard University, USA 02138", "USA"],
    ["PER", null],
    ["Institute of Physics, Per", null],
    ["Peru", "PER"],
    ["Germany, Bonn", null],
    ["", null],
    [",", null],
  ];
  it.each(cases)("the affiliation %j is in the country %j", (text, alpha3) => {
    expect(findCountry(text)).toBe(alpha3);
    expect(findCountry(text)).toBe(alpha3);
  });
});
