// folding.csv, degrees.csv and name-particles.csv: names and texts without accents, case and academic degrees.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { readVocabularyRows } from "./rows-of.ts";

const { names } = await loadVocabularies();
const degrees = (await readVocabularyRows("degrees.csv")).map((cell) => ({
  text: cell("text"),
  position: cell("position"),
}));
const at = (position: string) => degrees.filter((row) => row.position === position);

describe("each row of folding.csv", async () => {
  const characters = (await readVocabularyRows("folding.csv")).map((cell) => ({
    character: cell("character"),
    folded: cell("folded"),
  }));

  it.each(characters)("the character $character is folded to $folded", ({ character, folded }) => {
    expect(names.foldText(`b${character}b`)).toBe(`b${folded}b`);
    expect(names.foldName(`b${character}b, Ann`)).toBe(`ann b${folded}b`);
  });
});

describe("each row of degrees.csv", () => {
  const behind = degrees.filter(({ position }) => position === "after" || position === "always");

  it.each(behind)("the degree $text is removed after a full name", ({ text }) => {
    expect(names.dropDegrees(`Ann Lee, ${text}`)).toBe("Ann Lee");
    expect(names.dropDegrees(`Ann Lee, ${text.toUpperCase()}`)).toBe("Ann Lee");
    expect(names.dropDegrees(`Lee, Ann, PhD, ${text}`)).toBe("Lee, Ann");
    expect(names.foldName(`Ann Lee, ${text}`)).toBe("ann lee");
  });

  it.each(at("before"))("the title $text is removed after a full name and a comma", ({ text }) => {
    expect(names.dropDegrees(`Ann Lee, ${text}`)).toBe("Ann Lee");
    expect(names.foldName(`Lee, Ann, ${text}`)).toBe("ann lee");
  });

  it.each(at("before").filter(({ text }) => !/\s/.test(text)))(
    "the title $text is removed before a name",
    ({ text }) => {
      expect(names.dropDegrees(`${text} Ann Lee`)).toBe("Ann Lee");
    },
  );

  it.each(at("comma"))("the degree $text is removed only after a full name and a comma", ({ text }) => {
    expect(names.dropDegrees(`Ann Lee, ${text}`)).toBe("Ann Lee");
    expect(names.dropDegrees(`Lee, Ann, ${text}`)).toBe("Lee, Ann");
    expect(names.dropDegrees(`Lee, ${text}`)).toBe(`Lee, ${text}`);
    expect(names.dropDegrees(`Ann ${text}`)).toBe(`Ann ${text}`);
  });

  it.each(at("generation"))("the generation $text is kept, and is not read as a given name", ({ text }) => {
    const folded = names.foldText(text);
    expect(names.foldName(`Ann Lee, ${text}`)).toBe(`ann lee ${folded}`);
    expect(names.foldName(`Lee, Ann, ${text}`)).toBe(`ann lee ${folded}`);
  });
});

describe("degrees and given names after a family name and a comma", () => {
  const FAMILIES = ["Lee", "Scargle", "García-López", "O'Brien", "van Eijk", "De Angelis", "de Souza Neto", "王"];
  /** Every word of degrees.csv that can also be initials or a given name, as people write these. */
  const given = degrees
    .filter(({ position }) => position !== "generation")
    .flatMap(({ text }) => {
      const letters = text.replace(/[^\p{L}]+/gu, "");
      const capitals = [...letters.toUpperCase()];
      const name = capitals[0] + letters.slice(1).toLowerCase();
      const apart = [capitals.join(". "), capitals.join(" "), capitals.join(".")].map((initials) => `${initials}.`);
      const initials = capitals.length <= 3 ? [...apart, ...(letters === "PhD" ? [] : [capitals.join("")])] : [];
      // A word can also be a name if it can be spoken and is not spelt as the degree is.
      const spoken = /[aeiouy]/i.test(name) && letters !== name;
      const loud = letters === name.toUpperCase() ? [] : [name.toUpperCase()];
      return [...initials, ...(spoken ? [name, `${name} J.`, `Wei ${name}`, ...loud] : [])];
    });
  /** Every degree and title in its own spelling, without those that could also be initials. */
  const sure = degrees
    .filter(({ position }) => ["after", "always", "before"].includes(position))
    .map(({ text }) => text)
    .filter((text) => !/^\p{Lu}{1,3}$/u.test(text.replace(/[^\p{L}]+/gu, "")));

  it("initials and given names that look like a degree are kept after a family name", () => {
    const property = fc.property(fc.constantFrom(...FAMILIES), fc.constantFrom(...given), (family, name) => {
      expect(names.dropDegrees(`${family}, ${name}`)).toBe(`${family}, ${name}`);
      expect(names.dropDegrees(`${family}, ${name}, PhD`)).toBe(`${family}, ${name}`);
      expect(names.foldName(`${family}, ${name}`)).toBe(`${names.foldText(name)} ${names.foldText(family)}`);
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it("a degree in its own spelling is removed, whatever part of a name precedes it", () => {
    const person = fc.constantFrom(...FAMILIES);
    const property = fc.property(person, fc.constantFrom(...sure), fc.constantFrom(...sure), (family, one, other) => {
      expect(names.dropDegrees(`${family}, ${one}`)).toBe(family);
      expect(names.dropDegrees(`${family}, ${one}, ${other}`)).toBe(family);
      expect(names.dropDegrees(`${family}, Jane, ${one}`)).toBe(`${family}, Jane`);
      expect(names.dropDegrees(`Jane ${family}, ${one}`)).toBe(`Jane ${family}`);
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it.each([
    ["Bellon, M.R."],
    ["Scargle, J. D."],
    ["Manchester, R. N."],
    ["Beard, JD"],
    ["Altmann, DR"],
    ["Chen, Meng"],
    ["CHEN, MENG"],
    ["chen, meng"],
    ["Ali, Med"],
    ["Thong, Wai Meng"],
    ["Liao, Ing"],
    ["Diop, Dame"],
    ["Ford, M. Ed."],
    ["Castro Lima, M. D."],
    ["van Eijk, AM"],
    ["Tucker JD"],
    ["DR Altmann"],
    ["Dang, P. H. D."],
  ])("the name %j has no degree to remove", (name) => {
    expect(names.dropDegrees(name)).toBe(name);
  });

  it.each([
    ["Steele, PhD", "Steele"],
    ["Steele, PHD", "Steele"],
    ["Steele, Ph.D.", "Steele"],
    ["Steele, Ph. D.", "Steele"],
    ["Steele, Msc", "Steele"],
    ["Steele, MBBS", "Steele"],
    ["Steele, Prof. Dr.", "Steele"],
    ["Steele, Jane, PhD", "Steele, Jane"],
    ["Steele, Jane, MD", "Steele, Jane"],
    ["Steele, Jane, RN, MBA", "Steele, Jane"],
    ["Steele, J. D., JD", "Steele, J. D."],
    ["Steele, Jane, M. D.", "Steele, Jane"],
    ["Jane Steele, M.D.", "Jane Steele"],
    ["van Eijk, AM, MD", "van Eijk, AM"],
  ])("the name %j without its degrees is %j", (name, dropped) => {
    expect(names.dropDegrees(name)).toBe(dropped);
  });
});

describe("each row of name-particles.csv", async () => {
  const particles = (await readVocabularyRows("name-particles.csv")).map((cell) => ({
    particle: cell("particle"),
    capital: cell("capital"),
  }));

  it.each(particles)("the particle $particle is read as the beginning of a family name", ({ particle, capital }) => {
    const written = particle.slice(0, 1).toUpperCase() + particle.slice(1);
    expect(names.dropDegrees(`${particle} Lee, JD`)).toBe(`${particle} Lee, JD`);
    expect(names.dropDegrees(`${written} Lee, JD`)).toBe(capital === "yes" ? `${written} Lee, JD` : `${written} Lee`);
  });
});

describe("folding names", () => {
  const cases: [string, string][] = [
    ["Steele, PhD", "steele"],
    ["Catriona M Steele, PhD", "catriona m steele"],
    ["Ødegård, Åse", "ase odegard"],
    ["Åse Ødegård", "ase odegard"],
    ["A\u030Ase Ødega\u030Ard", "ase odegard"],
    ["Ｊａｎｅ Doe", "jane doe"],
    ["  DOE ,  Jane  ", "jane doe"],
    ["Doe, Jane", "jane doe"],
    ["Doe,Jane", "jane doe"],
    ["Doe, Jane,", "jane doe"],
    ["Jean-Luc Picard", "jean luc picard"],
    ["Picard, J.-L.", "j l picard"],
    ["O'Brien, Conor", "conor obrien"],
    ["O’Brien, Conor", "conor obrien"],
    ["O´Brien, Conor", "conor obrien"],
    ["Strauß, Łukasz", "lukasz strauss"],
    ["STRAUSS, ŁUKASZ", "lukasz strauss"],
    ["İbrahim Işık", "ibrahim isik"],
    ["Nguyễn Văn Đức", "nguyen van duc"],
    ["Иванов, Пётр", "петр иванов"],
    ["Андрей Андреи", "андрей андреи"],
    ["Παπαδόπουλος, Γιώργος", "γιωργοσ παπαδοπουλοσ"],
    ["ΠΑΠΑΔΟΠΟΥΛΟΣ ΓΙΩΡΓΟΣ", "παπαδοπουλοσ γιωργοσ"],
    ["山田 太郎", "山田 太郎"],
    ["ガリレオ", "ガリレオ"],
    ["ｶﾞﾘﾚｵ", "ガリレオ"],
    ["김철수", "김철수"],
    ["हिन्दी लेखक", "हिन्दी लेखक"],
    ["محمد علي", "محمد علي"],
    ["Bumi Herman, M.D Ph.D", "bumi herman"],
    ["Professor J Kurinczuk, MBChB,MSc,MD", "j kurinczuk"],
    ["Prof. Dr. Ann Lee", "ann lee"],
    ["Lee, Prof. Ann", "ann lee"],
    ["Margreet C Vos, Prof. dr.", "margreet c vos"],
    ["Natalie Dror PhD", "natalie dror"],
    ["Neil H White, M.D.", "neil h white"],
    ["Ann Lee, Ph. D.", "ann lee"],
    ["Li, Ma", "ma li"],
    ["Rahman, Md", "md rahman"],
    ["Md Abdul Rahman", "md abdul rahman"],
    ["Do, Thi", "thi do"],
    ["Smith, M. D.", "m d smith"],
    ["Martin King, Jr.", "martin king jr"],
    ["PhD", "phd"],
    ["", ""],
    [" , ", ""],
  ];
  it.each(cases)("the name %j is folded to %j", (name, folded) => {
    expect(names.foldName(name)).toBe(folded);
  });

  it("removing the degrees of a name keeps its case and accents", () => {
    expect(names.dropDegrees("Ødegård, Åse, Ph.D.")).toBe("Ødegård, Åse");
  });
});

describe("folding texts", () => {
  it("folding a text keeps its words and their order", () => {
    expect(names.foldText("Lee, PhD (Öslo)")).toBe("lee phd oslo");
  });

  it("folding a text a second time changes nothing", () => {
    const property = fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const folded = names.foldText(text);
      expect(names.foldText(folded)).toBe(folded);
      expect(names.foldText(text.normalize("NFD"))).toBe(folded);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
