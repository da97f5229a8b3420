// country-aliases.csv and country-ambiguous.csv: the country an affiliation ends in.
import iso from "i18n-iso-countries";
import { describe, expect, it } from "vitest";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { rowsOf } from "./rows-of.ts";

const { countries } = await loadVocabularies();
const aliases = (await rowsOf("country-aliases.csv")).map((cell) => ({ alias: cell("alias"), alpha3: cell("alpha3") }));
const ambiguous = (await rowsOf("country-ambiguous.csv")).map((cell) => cell("code"));
const assigned = Object.entries(iso.getAlpha2Codes());

describe("each row of country-aliases.csv", () => {
  it.each(aliases)("$alias is $alpha3", ({ alias, alpha3 }) => {
    expect(countries.ofAffiliation(`Institute of Wells, ${alias}`)).toBe(alpha3);
    expect(countries.ofAffiliation(`${alias.toUpperCase()}.`)).toBe(alpha3);
    expect(countries.ofAffiliation(`Institute of ${alias}`)).not.toBe(alpha3);
  });
});

describe("codes", () => {
  it.each(ambiguous)("%s at the end of an address is no country", (code) => {
    expect(countries.ofAffiliation(`Institute of Wells, Springfield, ${code}`)).toBeNull();
  });

  it.each(assigned.filter(([alpha2]) => !ambiguous.includes(alpha2)))("%s is %s", (alpha2, alpha3) => {
    expect(countries.ofAffiliation(`Institute of Wells, ${alpha2}`)).toBe(alpha3);
  });

  it.each(assigned.filter(([, alpha3]) => !ambiguous.includes(alpha3)))("of %s: %s is itself", (_, alpha3) => {
    expect(countries.ofAffiliation(`Institute of Wells, ${alpha3}`)).toBe(alpha3);
  });

  it.each(assigned)("of %s: %s is assigned and has a name", (alpha2, alpha3) => {
    expect(countries.isAssigned(alpha3)).toBe(true);
    expect(countries.isAssigned(alpha3.toLowerCase())).toBe(true);
    expect(countries.isAssigned(alpha2)).toBe(false);
    expect(countries.nameOf(alpha3)).toBe(iso.getName(alpha2, "en"));
  });

  it.each(["ZZZ", "", "USAA", "constructor", "840"])("%j is not assigned", (code) => {
    expect(countries.isAssigned(code)).toBe(false);
  });

  it.each(["ZZZ", "", "__proto__"])("%j has no name", (code) => {
    expect(countries.nameOf(code)).toBeNull();
  });
});

describe("affiliations", () => {
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
    ["Harvard University, USA 02138", null],
    ["PER", null],
    ["Institute of Physics, Per", null],
    ["Peru", "PER"],
    ["Germany, Bonn", null],
    ["", null],
    [",", null],
  ];
  it.each(cases)("%j is in %j", (text, alpha3) => {
    expect(countries.ofAffiliation(text)).toBe(alpha3);
    expect(countries.ofAffiliation(text)).toBe(alpha3);
  });
});
