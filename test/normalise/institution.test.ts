/** Tests how an affiliation from metadata gets a label for display, an id and an exact text. */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { institutionLabel, makeReportedInstitution } from "../../pipeline/2-normalise/rows.ts";

test.each([
  ["University of Kiel, Germany", "University of Kiel, Germany"],
  ["  University \n of  Kiel ", "University of Kiel"],
  ["<p>University of <b>Kiel</b></p>", "University of Kiel"],
  ["R&amp;D Dept.", "R&D Dept."],
  ["University of Kiel (ann.bo@uni-kiel.example)", "University of Kiel"],
  ["University of Kiel, ann.bo@uni-kiel.example", "University of Kiel"],
  ["ann.bo@uni-kiel.example; University of Kiel", "University of Kiel"],
  ["University of Kiel https://uni-kiel.example/?a=1", "University of Kiel"],
  ["www.uni-kiel.example University of Kiel", "University of Kiel"],
  ["University\u0000 of\u202e Kiel\ufeff", "University of Kiel"],
  ["Institute (Kiel)", "Institute (Kiel)"],
  ["a@b.example", "(no name)"],
  [" ", "(no name)"],
  ["x".repeat(300), "x".repeat(240)],
  [`${"😀".repeat(300)}`, "😀".repeat(240)],
])("an affiliation %j is shown as %j", (raw, label) => {
  expect(institutionLabel(raw)).toBe(label);
});

test.each([
  ["University of Kiel, Germany", '"University of Kiel, Germany"'],
  ['R&D <b>"Kiel"</b>', '"R\\u0026D \\u003cb\\u003e\\u0022Kiel\\u0022\\u003c/b\\u003e"'],
  ["Universität\r\n\u0000\u202e\ufeff", '"Universit\\u00e4t\\u000d\\u000a\\u0000\\u202e\\ufeff"'],
  ["C:\\Kiel 😀", '"C:\\u005cKiel \\ud83d\\ude00"'],
])("the exact text of the affiliation %j is stored as %s, and its sha256 is the id", (raw, reported) => {
  expect(makeReportedInstitution(raw)).toMatchObject({ reported, id: createHash("sha256").update(raw).digest("hex") });
  expect(JSON.parse(reported)).toBe(raw);
});

test("half a surrogate pair in an affiliation becomes U+FFFD", () => {
  const id = createHash("sha256").update("Kiel \ufffd").digest("hex");
  expect(makeReportedInstitution("Kiel \ud83d")).toMatchObject({ id, reported: '"Kiel \\ufffd"' });
});
