/** Citations in BibTeX. A text from a record, such as a title with braces, must not end its field or run a command. */

import { expect, test } from "vitest";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { formatBibtex } from "../../web/views/citations.ts";

const RECORD = {
  id: `r${"0".repeat(24)}`,
  doi: "10.5072/kelp_1",
  title: "Kelp along two fjords",
  identifier: "x/1",
  authors: [{ name: "Falk, Rune" }, { name: "Fjord Watch" }],
  pubDate: "2025-05-01",
  repository: "Zenodo",
  version: null,
  url: null,
};

const formatEntry = (fields: object) => formatBibtex({ ...RECORD, ...fields } as unknown as RecordDetail);

test("a citation in BibTeX has the creators, title, year, repository and DOI", () => {
  expect(formatEntry({})).toBe(
    `@misc{r${"0".repeat(24)},
  author = {Falk, Rune and {Fjord Watch}},
  title = {{Kelp along two fjords}},
  year = {2025},
  publisher = {Zenodo},
  doi = {10.5072/kelp_1},
  url = {https://doi.org/10.5072/kelp_1},
}`,
  );
});

test.each([
  { name: "Falk, Rune", shown: "Falk, Rune" },
  { name: "Falk, Rune, Jr., Dr.", shown: "{Falk, Rune, Jr., Dr.}" },
  { name: "Sea and Shore, Office of", shown: "{Sea and Shore, Office of}" },
  { name: "R&D_50%", shown: "{R\\&D\\_50\\%}" },
])("BibTeX writes the creator “$name” as $shown, because only a clear personal name is split", ({ name, shown }) => {
  expect(formatEntry({ authors: [{ name }] })).toContain(`author = {${shown}},`);
});

test.each(["a}, url = {https://evil.example", "{", "\\input{/etc/passwd}", "a\n}\n@misc{x,", "50 % of $x_1^2~#&"])(
  "a citation in BibTeX keeps the title %j inside its field",
  (title) => {
    const entry = formatEntry({ title, doi: null, url: "https://x.example/{a}", authors: [] });
    expect(entry.split("\n")).toHaveLength(6);
    const depths = [...entry].map((character) => (character === "{" ? 1 : character === "}" ? -1 : 0));
    let depth = 0;
    for (const [i, change] of depths.entries()) {
      depth += change;
      expect([i, depth === 0]).toEqual([i, i < entry.indexOf("{") || i === entry.length - 1]);
    }
    expect(entry).toContain("url = {https://x.example/%7Ba%7D}");
    expect(entry).not.toContain("\\input");
  },
);

test("a citation in BibTeX lists the first fifty creators, and “others” for the rest", () => {
  const authors = Array.from({ length: 51 }, (_, i) => ({ name: `Falk, R${i}` }));
  expect(formatEntry({ authors })).toContain("Falk, R49 and others}");
});
