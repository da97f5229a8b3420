// file-kinds.csv and generic-filenames.csv: the kinds of a file by its name or format, and names that describe the content.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileKind } from "../../pipeline/vocabularies/file-kinds.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import { readVocabularyRows } from "./rows-of.ts";

const { fileKinds, fileNames } = await loadVocabularies();
const FLAGS = ["open", "inspectable", "documentation", "code", "manifest"] as const;
const rows = (await readVocabularyRows("file-kinds.csv")).map((cell) => ({
  match: cell("match"),
  pattern: cell("pattern"),
  flags: FLAGS.filter((flag) => cell(flag) === "yes"),
}));
const of = (match: string) => rows.filter((row) => row.match === match);
const generic = (await readVocabularyRows("generic-filenames.csv")).map((cell) => cell("word"));

const listKinds = (name: string): string[] => FLAGS.filter((flag) => fileKinds.readKinds(name)[flag]);

/** Returns the expected kinds of a lower-case file name, from a scan of all rows of file-kinds.csv. */
function listExpected(name: string): string[] {
  const extension = of("extension").filter(({ pattern }) => name.slice(1).endsWith(`.${pattern}`));
  const longest = extension.reduce((longer, { pattern }) => (pattern.length > longer.length ? pattern : longer), "");
  const stem = longest ? name.slice(0, -longest.length - 1) : name;
  const words = `_${stem.split(/[^a-z]+/).join("_")}_`.replace(/_+/g, "_");
  const stems = of("stem").filter(({ pattern }) =>
    pattern.startsWith("*") ? words.includes(`_${pattern.slice(1, -1)}_`) : words === `_${pattern}_`,
  );
  const said = [...extension, ...stems, ...of("name").filter(({ pattern }) => pattern === name)];
  return FLAGS.filter((flag) => said.some(({ flags }) => flags.includes(flag)));
}

describe("each row of file-kinds.csv", () => {
  it.each(of("extension"))("a file ending in .$pattern is $flags", ({ pattern, flags }) => {
    const name = `wellwater_survey.${pattern}`;
    expect(listKinds(name)).toEqual(expect.arrayContaining([...flags]));
    expect(listKinds(name)).toEqual(listExpected(name));
    expect(listKinds(`deep/er/${name.toUpperCase()}`)).toEqual(listExpected(name));
  });

  it.each(of("name"))("a file named $pattern is $flags", ({ pattern, flags }) => {
    expect(listKinds(pattern)).toEqual(expect.arrayContaining([...flags]));
    expect(listKinds(pattern)).toEqual(listExpected(pattern));
    expect(listKinds(`deep/er/${pattern.toUpperCase()}`)).toEqual(listExpected(pattern));
  });

  it.each(of("stem"))("a file whose name contains the stem $pattern is $flags", ({ pattern, flags }) => {
    const stem = pattern.replaceAll("*", "");
    expect(listKinds(`${stem}.zzz`)).toEqual(flags);
    expect(listKinds(`${stem.toUpperCase().replaceAll("_", " ")}_v2_007.zzz`)).toEqual(flags);
    expect(listKinds(`wells ${stem} east.zzz`)).toEqual(pattern.startsWith("*") ? flags : []);
    expect(listKinds(`${stem}ic.zzz`)).toEqual([]);
  });

  it.each(of("media"))("the format $pattern is $flags", ({ pattern, flags }) => {
    const format = pattern.startsWith("+") ? `application/vnd.wells${pattern}` : pattern;
    expect(fileKinds.isOpenMedia(format)).toBe(flags.includes("open"));
    expect(fileKinds.isOpenMedia(`  ${format.toUpperCase()} `)).toBe(flags.includes("open"));
  });

  it.each(rows)("the kind of file in the row $match $pattern is open if it is inspectable", ({ flags }) => {
    expect(flags.includes("inspectable") && !flags.includes("open")).toBe(false);
  });
});

describe("kinds of files by their names", () => {
  const cases: [string, (keyof FileKind)[]][] = [
    ["README", ["open", "inspectable", "documentation"]],
    ["README.md", ["open", "inspectable", "documentation"]],
    ["Smith2020_ReadMe.txt", ["open", "inspectable", "documentation"]],
    ["[Dokumentation]_rain.pdf", ["open", "documentation"]],
    ["documentación_2020.txt", ["open", "inspectable", "documentation"]],
    ["Dokumente.txt", ["open", "inspectable"]],
    ["Data Dictionary.xlsx", ["open", "documentation"]],
    ["DataDictionary_v3.csv", ["open", "inspectable", "documentation"]],
    ["Prot_SAP_000.pdf", ["open", "documentation"]],
    ["SAP_001.pdf", ["open", "documentation"]],
    ["ICF_002.pdf", ["open", "documentation"]],
    ["whole_cell_sap_flow.csv", ["open", "inspectable"]],
    ["wells.pdf", ["open"]],
    ["wells.csv", ["open", "inspectable"]],
    ["wells.csv.gz", ["open"]],
    ["brain.nii.gz", ["open", "inspectable"]],
    ["wells.tar.gz", ["open"]],
    ["wells.rar", []],
    ["wells.sav", []],
    ["wells.mat", []],
    ["wells.xlsx", ["open"]],
    ["wells.xls", []],
    ["wells.tsv.gz.part-aa", []],
    ["wells", []],
    ["csv", []],
    [".csv", []],
    ["", []],
    ["clean.R", ["open", "inspectable", "code"]],
    ["clean.ipynb", ["open", "inspectable", "code"]],
    ["src/main.d.ts", ["open", "inspectable", "code"]],
    ["src\\Makefile", ["open", "inspectable", "code"]],
    ["datapackage.json", ["open", "inspectable", "manifest"]],
    ["ro-crate-metadata.json", ["open", "inspectable", "manifest"]],
    ["cldf/StructureDataset-metadata.json", ["open", "inspectable", "manifest"]],
    ["trees.csv-metadata.json", ["open", "inspectable", "manifest"]],
    ["trees-metadata.jsonld", ["open", "inspectable", "manifest"]],
    ["trees-metadata.csv", ["open", "inspectable"]],
    ["treesmetadata.json", ["open", "inspectable"]],
    ["sub/dataset_description.json", ["open", "inspectable", "manifest"]],
    ["manifest-md5.txt", ["open", "inspectable", "manifest"]],
    ["MANIFEST", ["open", "inspectable", "manifest"]],
    ["wells.csv.sha256", ["open", "inspectable", "manifest"]],
    ["CITATION.cff", []],
    ["ReadMe\u0301.txt", ["open", "inspectable"]],
  ];
  it.each(cases)("the file %j has the kinds %j", (name, flags) => {
    expect(listKinds(name)).toEqual(flags);
  });

  const formats: [string, boolean][] = [
    ["text/csv", true],
    ["text/csv; charset=utf-8", true],
    [".csv", true],
    ["*.csv", true],
    ["CSV", true],
    ["csv files", true],
    ["Comma separated values", true],
    ["Darwin Core Archive", true],
    ["wells.dat - text/plain", true],
    ["ASCII: ASCII Text (text/plain)", true],
    ["media types: application/x-gzip, text/xml", true],
    ["application/schema+json", true],
    ["application/octet-stream", false],
    ["SPSS", false],
    ["excel spreadsheet", false],
    ["12 pages", false],
    ["", false],
  ];
  it.each(formats)("the format %j is open: %j", (format, open) => {
    expect(fileKinds.isOpenMedia(format)).toBe(open);
  });

  it("any file name has kinds, and a file that is not open is never inspectable", () => {
    const property = fc.property(fc.string({ unit: "binary" }), (name) => {
      const { open, inspectable } = fileKinds.readKinds(name);
      return open || !inspectable;
    });
    fc.assert(property);
  });
});

describe("each word of generic-filenames.csv", () => {
  it.each(generic)(
    "the word %s is generic: a file name with it describes the content only with another word",
    (word) => {
      expect(fileNames.isGeneric(word)).toBe(true);
      expect(fileNames.isDescriptive(`${word}_${word}-00012.csv`)).toBe(false);
      expect(fileNames.isDescriptive(`${word.toUpperCase()}_2024.csv.gz`)).toBe(false);
      expect(fileNames.isDescriptive(`${word}_groundwater.csv`)).toBe(true);
    },
  );
});

describe("file names that describe the content", () => {
  const cases: [string, boolean][] = [
    ["survey_2020_households.csv", true],
    ["households.csv", true],
    ["wells.csv", true],
    ["well.csv", false],
    ["well.tar.gz", false],
    ["data1.csv", false],
    ["data_final_v2.csv", false],
    ["file", false],
    ["untitled", false],
    ["final_v2.docx", false],
    ["Supplementary_Table_S1.xlsx", false],
    ["IMGP6347.JPG", false],
    ["12345678.csv", false],
    ["2024-05-01.csv", false],
    ["my wells.csv", false],
    ["wells(1).csv", false],
    ["wells+springs.csv", false],
    ["deep wells/springs.csv", true],
    ["deep\\data.csv", false],
    ["данные_опроса.csv", true],
    ["データ集計表.csv", true],
    ["मौसम_आँकड़े.csv", true],
    ["E\u0301tude_sols.csv", true],
    ["typetracer_0.1.1.007.tar.gz", true],
    ["README", true],
    [".gitignore", true],
    ["", false],
    ["folder/", false],
  ];
  it.each(cases)("whether the file name %j describes its content: %j", (name, descriptive) => {
    expect(fileNames.isDescriptive(name)).toBe(descriptive);
  });
});
