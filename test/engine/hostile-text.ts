/** Records whose texts are what regular expressions, cases of letters, orders and escapes differ about between engines. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Each is a title, a name, an affiliation, a subject and the end of a DOI. */
const TEXTS: readonly string[] = [
  "İstanbul IĞDIR ıi",
  "Straße STRASSE ẞ",
  "ΟΔΥΣΣΕΥΣ ὈΔΥΣΣΕΎΣ ς",
  "ﬁeld ﬃnity ǅ ǆ",
  "e\u0301 é E\u0301 É",
  "𝐀nn 𐐀𐐨 \u{1f9ea}",
  "Ａｎｎ Ｂｏ ー々",
  "עברית \u202eabc\u202c العربية",
  "a\tb\nc\r\nd\u000be\u2028f",
  "back\\slash \\N \\n \\\\ \\u0041",
  "it's '' \"so\" `there` $1 $x %s {a,b}; -- drop",
  "zero\u200bwidth no\u00a0break \ufeffmark",
  "a|b^c[d]e(f)g*h+i?j.k",
  "K Å Ω ſ",
  "ǰ ΐ ŉ",
  "\u0000nul \ufffd",
  "   ",
  "~._-",
];

/** Writes them as payloads of DataCite into a folder, with citations of their DOIs; the paths of both. */
export async function writeHostile(folder: string): Promise<{ payloads: string; citations: string }> {
  const payloads = join(folder, "hostile.jsonl");
  const lines = TEXTS.flatMap((text, at) => [
    payloadOf(text, at, "a"),
    payloadOf(`${text} ${text.toUpperCase()}`, at, "B"),
  ]);
  await writeFile(payloads, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const citations = join(folder, "citations.csv");
  const rows = TEXTS.flatMap((_, at) => [
    `"HTTPS://DX.DOI.ORG/10.5072/Hostile.${at}.A",${at},1`,
    `doi:10.5072/hostile.${at}.b,1,`,
  ]);
  await writeFile(citations, `doi,citations,mentions\n${rows.join("\n")}\n"10.5072/HOSTİLE.İ",1,1\n`);
  return { payloads, citations };
}

function payloadOf(text: string, at: number, end: string): unknown {
  const creator = {
    name: `${text}, Ann`,
    nameType: "Personal",
    familyName: text,
    givenName: "Ann",
    affiliation: [{ name: text }],
  };
  return {
    data: {
      id: `10.5072/hostile.${at}.${end}`,
      type: "dois",
      attributes: {
        doi: `10.5072/hostile.${at}.${end}`,
        creators: [creator, { ...creator, name: `${text.toLowerCase()}, Ann`, familyName: text.toLowerCase() }],
        titles: [{ title: text }],
        publisher: text,
        publicationYear: 2020 + (at % 5),
        subjects: [{ subject: text }, { subject: text.normalize("NFD") }, { subject: text.toLowerCase() }],
        descriptions: [{ description: `${text} `.repeat(20), descriptionType: "Abstract" }],
        rightsList: [{ rights: text }],
        types: { resourceTypeGeneral: "Dataset" },
        url: `https://example.org/${at}`,
        version: text,
        state: "findable",
        updated: "2026-10-01T00:00:00.000Z",
      },
    },
  };
}
