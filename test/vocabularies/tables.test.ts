// The vocabulary files as files: their form, their digests, and the error with file and line if a file is invalid.
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VOCABULARY_COLUMNS } from "../../pipeline/vocabularies/columns.ts";
import { compiledText, compileVocabularies } from "../../pipeline/vocabularies/compile.ts";
import { loadVocabularies, readVocabularies } from "../../pipeline/vocabularies/index.ts";
import { VocabularyError } from "../../pipeline/vocabularies/read-table.ts";
import { readVocabularyRows, VOCABULARIES } from "./rows-of.ts";

/** The columns by which each file is sorted. They are the columns that say which texts a row matches. */
const KEY_COLUMNS: Record<string, readonly string[]> = {
  "access-levels.csv": ["match", "text"],
  "code-hosts.csv": ["host"],
  "contributor-roles.csv": ["role"],
  "country-aliases.csv": ["alias"],
  "country-ambiguous.csv": ["code"],
  "country-regions.csv": ["name"],
  "date-types.csv": ["date_type"],
  "degrees.csv": ["text"],
  "file-kinds.csv": ["match", "pattern"],
  "folding.csv": ["character"],
  "generic-filenames.csv": ["word"],
  "identifier-types.csv": ["type"],
  "licence-aliases.csv": ["match", "text"],
  "name-particles.csv": ["particle"],
  "placeholders.csv": ["match", "text"],
  "related-types.csv": ["text"],
  "relations.csv": ["relation_type", "related_type"],
};

const files = Object.keys(VOCABULARY_COLUMNS);

describe("each vocabulary file", () => {
  it("every vocabulary file is loaded by the program", async () => {
    const present = (await readdir(VOCABULARIES)).filter((file) => file.endsWith(".csv"));
    expect(present.sort()).toEqual(files.toSorted());
  });

  it.each(files)("the file %s is UTF-8 without a byte order mark, and every line of it ends with LF", async (file) => {
    const bytes = await readFile(new URL(file, VOCABULARIES));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    expect(text.endsWith("\n")).toBe(true);
    expect(/\r|^\uFEFF|\n\n/.exec(text)).toBeNull();
    // White space before a comma or at the end of a line is a mistake, and would be hidden in a pattern.
    expect(/.*[ \t](,|\n)/.exec(text)?.[0]).toBeUndefined();
  });

  // licence-classes.csv is left out, because the order of its rows has a meaning.
  it.each(Object.entries(KEY_COLUMNS))("the rows of %s are sorted by the columns %j", async (file, columns) => {
    const keys = (await readVocabularyRows(file)).map((cell) => columns.map(cell).join("\u0000"));
    expect(keys.length).toBeGreaterThan(0);
    expect(keys).toEqual(keys.toSorted());
  });

  it("the digest has the sha256 of every vocabulary file, in the order of the file names", async () => {
    const { digest } = await loadVocabularies();
    expect(Object.keys(digest)).toEqual(files.toSorted());
    for (const file of files) {
      const bytes = await readFile(new URL(file, VOCABULARIES));
      expect(digest[file]).toBe(createHash("sha256").update(bytes).digest("hex"));
    }
  });
});

it("tables.json lists the same words as the files", async () => {
  const text = await readFile(new URL("tables.json", VOCABULARIES), "utf8");
  expect(text).toBe(compiledText(await compileVocabularies()));
});

async function readFolder(folder: string) {
  const vocabularies = readVocabularies(await compileVocabularies(pathToFileURL(`${folder}/`)));
  // Each vocabulary is read when it is first used.
  expect(Object.values(vocabularies).length).toBeGreaterThan(10);
  // These two calls load the tables of licences.
  vocabularies.licences.isOpen("MIT");
  vocabularies.licences.resolve(["not an id"]);
  return vocabularies;
}

describe("rejecting an invalid vocabulary file", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vocabularies-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  const spoilt: { name: string; file: string; line: string; says: RegExp }[] = [
    { name: "an unknown way to match", file: "placeholders.csv", line: "regexp,x+,any,", says: /not one of exact/ },
    { name: "an unknown scope", file: "placeholders.csv", line: "exact,zzz,title,", says: /"scope" contains "title"/ },
    { name: "a repeated key", file: "placeholders.csv", line: "exact,UNKNOWN,any,", says: /same key as line \d+/ },
    {
      name: "an unknown count",
      file: "relations.csv",
      line: "Zzz,,citation,",
      says: /not words of this list, separated by ";": reference/,
    },
    { name: "a repeated count", file: "relations.csv", line: "Zzz,,data;data,", says: /not words of this list/ },
    {
      name: "a relation without a row for an unstated type",
      file: "relations.csv",
      line: "Zzz,Dataset,data,",
      says: /a row with an empty related_type/,
    },
    {
      name: "a type of work that relations.csv does not have",
      file: "related-types.csv",
      line: "zzz,Novel,",
      says: /not in the column related_type/,
    },
    {
      name: "a flag that is neither yes nor no",
      file: "file-kinds.csv",
      line: "name,zzz,maybe,no,no,no,no,",
      says: /yes, no/,
    },
    {
      name: "a closed but inspectable kind",
      file: "file-kinds.csv",
      line: "name,zzz,no,yes,no,no,no,",
      says: /must also be open/,
    },
    {
      name: "a format that is code",
      file: "file-kinds.csv",
      line: "media,zzz,yes,no,no,yes,no,",
      says: /can set only the flag open/,
    },
    {
      name: "a stem that contains a generic word",
      file: "file-kinds.csv",
      line: "stem,zzz_v2,no,no,yes,no,no,",
      says: /generic word/,
    },
    { name: "a pattern in capitals", file: "file-kinds.csv", line: "name,Zzz,no,no,yes,no,no,", says: /lower case/ },
    {
      name: "an id that SPDX does not list",
      file: "licence-aliases.csv",
      line: "text,zzz,CC-BY,",
      says: /"CC-BY" is not an SPDX id/,
    },
    {
      name: "an id in another case",
      file: "licence-aliases.csv",
      line: "text,zzz,mit,",
      says: /"mit" is not an SPDX id/,
    },
    {
      name: "a URL with variable parts",
      file: "licence-aliases.csv",
      line: "url,https://a.org/L,MIT,",
      says: /not a URL in lower case without scheme/,
    },
    {
      name: "a class after the row that covers all ids",
      file: "licence-classes.csv",
      line: "MIT,yes,yes,",
      says: /last row must have/,
    },
    {
      name: "an unknown scheme",
      file: "contributor-roles.csv",
      line: "Zzz,marc,yes,",
      says: /"scheme" contains "marc"/,
    },
    {
      name: "an unknown level",
      file: "access-levels.csv",
      line: "exact,zzz,secret,",
      says: /"level" contains "secret"/,
    },
    { name: "an unassigned country", file: "country-aliases.csv", line: "Zzz,ZZZ,", says: /not an ISO 3166-1 alpha-3/ },
    {
      name: "an ambiguous word that is not a code",
      file: "country-ambiguous.csv",
      line: "QQ,nothing",
      says: /not an ISO 3166-1 code/,
    },
    { name: "an unknown position", file: "degrees.csv", line: "Zzz,middle,", says: /"position" contains "middle"/ },
    { name: "two characters in place of one", file: "folding.csv", line: "zz,z,", says: /exactly one character/ },
    { name: "an empty key", file: "code-hosts.csv", line: ",nothing", says: /"host" is empty/ },
    { name: "an empty flag", file: "name-particles.csv", line: "zzz,,", says: /"capital" contains ""/ },
    { name: "an unknown scheme", file: "identifier-types.csv", line: "Zzz,isbn,", says: /"scheme" contains "isbn"/ },
    {
      name: "an unknown value of alone",
      file: "country-regions.csv",
      line: "Zzz,ZZ,USA,never,",
      says: /"alone" contains "never"/,
    },
    {
      name: "regions of another country",
      file: "country-regions.csv",
      line: "Zzz,ZZ,FRA,both,",
      says: /no postal codes/,
    },
    { name: "a missing flag", file: "date-types.csv", line: "Zzz", says: /has 1 cells, not 3/ },
    {
      name: "a line break in a cell",
      file: "date-types.csv",
      line: 'Zzz,yes,"a\nb"',
      says: /line breaks within cells/,
    },
  ];

  it.each(spoilt)("the vocabulary file $file is rejected with $name", async ({ file, line, says }) => {
    await cp(VOCABULARIES, folder, { recursive: true });
    const text = await readFile(join(folder, file), "utf8");
    await writeFile(join(folder, file), `${text}${line}\n`);
    const rejection = await readFolder(folder).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(VocabularyError);
    const { code, message } = rejection instanceof VocabularyError ? rejection : { code: "", message: "" };
    expect(code).toBe("vocabulary_invalid");
    expect(message).toMatch(says);
    expect(message).toMatch(new RegExp(`^${file}:\\d+: `));
  });

  it("an invalid vocabulary file is rejected with the line in the error", async () => {
    await cp(VOCABULARIES, folder, { recursive: true });
    await writeFile(join(folder, "date-types.csv"), "date_type,coverage,note\nIssued,no,\nValid,perhaps,\n");
    await expect(readFolder(folder)).rejects.toThrow(/^date-types\.csv:3: /);
  });

  it("a vocabulary file with another header is rejected", async () => {
    await cp(VOCABULARIES, folder, { recursive: true });
    await writeFile(join(folder, "date-types.csv"), "type,coverage,note\nIssued,no,\n");
    await expect(readFolder(folder)).rejects.toThrow(/^date-types\.csv:1: the first line must be the header /);
  });
});
