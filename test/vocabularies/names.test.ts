// folding.csv and degrees.csv: the folded form of names and texts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { rowsOf } from "./rows-of.ts";

const { names } = await loadVocabularies();
const degrees = (await rowsOf("degrees.csv")).map((cell) => ({ text: cell("text"), position: cell("position") }));
const at = (position: string) => degrees.filter((row) => row.position === position);

describe("each row of folding.csv", async () => {
  const characters = (await rowsOf("folding.csv")).map((cell) => ({
    character: cell("character"),
    folded: cell("folded"),
  }));

  it.each(characters)("$character becomes $folded", ({ character, folded }) => {
    expect(names.foldText(`b${character}b`)).toBe(`b${folded}b`);
    expect(names.foldName(`b${character}b, Ann`)).toBe(`ann b${folded}b`);
  });
});

describe("each row of degrees.csv", () => {
  it.each(at("after"))("$text is dropped after a name", ({ text }) => {
    expect(names.dropDegrees(`Ann Lee, ${text}`)).toBe("Ann Lee");
    expect(names.dropDegrees(`Lee, ${text.toUpperCase()}`)).toBe("Lee");
    expect(names.dropDegrees(`Lee, Ann, PhD, ${text}`)).toBe("Lee, Ann");
    expect(names.foldName(`Ann Lee, ${text}`)).toBe("ann lee");
  });

  it.each(at("before"))("$text is dropped before a name and after a comma", ({ text }) => {
    expect(names.dropDegrees(`Ann Lee, ${text}`)).toBe("Ann Lee");
    expect(names.foldName(`Lee, Ann, ${text}`)).toBe("ann lee");
  });

  it.each(at("before").filter(({ text }) => !/\s/.test(text)))("$text is dropped in front", ({ text }) => {
    expect(names.dropDegrees(`${text} Ann Lee`)).toBe("Ann Lee");
  });

  it.each(at("comma"))("$text is dropped after a full name only", ({ text }) => {
    expect(names.dropDegrees(`Ann Lee, ${text}`)).toBe("Ann Lee");
    expect(names.dropDegrees(`Lee, Ann, ${text}`)).toBe("Lee, Ann");
    expect(names.dropDegrees(`Lee, ${text}`)).toBe(`Lee, ${text}`);
    expect(names.dropDegrees(`Ann ${text}`)).toBe(`Ann ${text}`);
  });

  it.each(at("generation"))("$text is kept, and is no given name", ({ text }) => {
    const folded = names.foldText(text);
    expect(names.foldName(`Ann Lee, ${text}`)).toBe(`ann lee ${folded}`);
    expect(names.foldName(`Lee, Ann, ${text}`)).toBe(`ann lee ${folded}`);
  });
});

describe("folded names", () => {
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
  it.each(cases)("%j is %j", (name, folded) => {
    expect(names.foldName(name)).toBe(folded);
  });

  it("keeps the case and accents of a name without degrees", () => {
    expect(names.dropDegrees("Ødegård, Åse, Ph.D.")).toBe("Ødegård, Åse");
  });
});

describe("folded texts", () => {
  it("neither turns nor drops", () => {
    expect(names.foldText("Lee, PhD (Öslo)")).toBe("lee phd oslo");
  });

  it("are folded already", () => {
    const property = fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const folded = names.foldText(text);
      expect(names.foldText(folded)).toBe(folded);
      expect(names.foldText(text.normalize("NFD"))).toBe(folded);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
