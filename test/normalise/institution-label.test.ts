/** The shown label of a reported affiliation. */

import { expect, test } from "vitest";
import { institutionLabel } from "../../pipeline/2-normalise/institution-label.ts";

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
])("the label of %j is %j", (raw, label) => {
  expect(institutionLabel(raw)).toBe(label);
});
