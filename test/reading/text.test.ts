/** Texts are cleaned of markup and control characters, to count their characters and to show them. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanLength, cleanText, countCodePoints, displayText } from "../../pipeline/reading/text.ts";
import { foldSpace } from "../../pipeline/vocabularies/read-table.ts";

describe("cleaning a text", () => {
  test.each([
    ["plain text", "plain text"],
    ["  two \t\n spaces\u00a0\u2003here ", "two spaces here"],
    ["", ""],
    [" \n ", ""],
    // Markup.
    ["<p>one</p><p>two</p>", "one two"],
    ["one<br>two<br/>three", "one two three"],
    ["<ul><li>a</li><li>b</li></ul>", "a b"],
    ["H<sub>2</sub>O and <b>x</b><i>y</i>", "H2O and xy"],
    ['<a href="https://example.org/?a=1&amp;b=2" title="x">link</a>', "link"],
    ["<jats:p>word</jats:p>", "word"],
    ["<P CLASS='x'>A</P>B", "A B"],
    ["<p\nclass='x'>A</p>", "A"],
    ["<div><div><span>deep</span></div></div>", "deep"],
    // Text that only looks like markup.
    ["p < 0.05 and q > 3", "p < 0.05 and q > 3"],
    ["a <5 b> c", "a <5 b> c"],
    ["an open <b end", "an open <b end"],
    ["a << b >> c", "a << b >> c"],
    // Comments.
    ["a<!-- b -->c", "a c"],
    ["a<!-- <p>b</p> -- > c -->d", "a d"],
    ["a<!-- b --><!-- c -->d", "a d"],
    ["<!-- never closed", "<!-- never closed"],
    ["a <!--> b --> c", "a c"],
    // Entities.
    ["R&amp;D", "R&D"],
    ["&lt; 5 &deg;C &#8211; &#x2014; &nbsp;x", "< 5 °C – — x"],
    ["caf&eacute; &auml;&ouml;&uuml;", "café äöü"],
    ["AT&T & Co", "AT&T & Co"],
    ["&unknown; &; &#;", "&unknown; &; &#;"],
    ["&#x1F600;", "😀"],
    // Escaped markup is markup.
    ["&lt;p&gt;one&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;", "one two"],
    ["&lt;b&gt;bold&lt;/b&gt; &amp; plain", "bold & plain"],
    ["&lt;!-- hidden --&gt;shown", "shown"],
    // Markup that is escaped twice is text about markup.
    ["&amp;lt;b&amp;gt;", "&lt;b&gt;"],
  ])("cleaning turns the text %j into %j", (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  test("cleaning does not drop the text after an unclosed comment", () => {
    expect(cleanText("<p>a</p><!-- b <p>c</p>")).toContain("c");
  });
});

describe("counting the characters of a text", () => {
  test.each([
    { name: "100 letters", text: "a".repeat(100), length: 100 },
    { name: "99 letters, one too few", text: "a".repeat(99), length: 99 },
    { name: "100 letters in markup and white space", text: `<p> ${"a".repeat(100)}\n</p>`, length: 100 },
    { name: "99 letters and an entity", text: `${"a".repeat(99)}&amp;`, length: 100 },
    { name: "100 characters beyond the basic plane", text: "𝒳".repeat(100), length: 100 },
    { name: "99 characters beyond the basic plane", text: "😀".repeat(99), length: 99 },
    { name: "combining marks, which count", text: "e\u0301".repeat(50), length: 100 },
    { name: "words with runs of spaces", text: "ab   cd ".repeat(20), length: 119 },
    { name: "only markup", text: "<p></p><br/>&nbsp;", length: 0 },
    { name: "lone surrogates, each counted once", text: "\ud83d".repeat(3) + "\udc00".repeat(2), length: 4 },
  ])("the length of $name is $length", ({ text, length }) => {
    expect(cleanLength(text)).toBe(length);
  });

  test("countCodePoints counts the code points that iterating over the text gives", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (one, other) => {
        for (const text of [one, other, one.slice(1), `${other}\ud83d`])
          expect(countCodePoints(text)).toBe([...text].length);
      }),
    );
  });

  test("folding white space trims the text, and makes every gap one space", () => {
    const spaced = fc.array(fc.constantFrom("a", " ", "\t", "\n", "\u00a0", "\u2003", "\ufeff", "é"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(spaced, (parts) => {
        expect(foldSpace(parts.join(""))).toBe(parts.join("").split(/\s+/).filter(Boolean).join(" "));
      }),
      { numRuns: 500 },
    );
  });
});

describe("making a label of a text", () => {
  test.each([
    ["plain", "plain"],
    ["double  space", "double space"],
    ["<script>alert(1)</script>", "alert(1)"],
    // If removing a tag joins text into another tag, that tag is removed too.
    ["<<i>b>x", "x"],
    ["<<i>scr<i>ipt>x", "x"],
    ["&lt;<i>b&gt;x", "x"],
    ["<\u0000b>x", "x"],
    ["a\u0007b\u0000c", "abc"],
    ["abc\u202edef\u2066g\ufeff", "abcdefg"],
    ["x < y", "x < y"],
    ["a\ud83d", "a\ufffd"],
    ["\u0000\u202e", ""],
  ])("the label made of the text %j is %j", (text, label) => {
    expect(displayText(text)).toBe(label);
  });

  test.each([
    { text: "a".repeat(10), limit: 10, label: "a".repeat(10) },
    { text: "a".repeat(11), limit: 10, label: "a".repeat(10) },
    { text: "😀".repeat(11), limit: 10, label: "😀".repeat(10) },
    { text: "😀".repeat(8), limit: 10, label: "😀".repeat(8) },
    { text: "123456789 b", limit: 10, label: "123456789" },
    { text: `${"<b></b>".repeat(500)}word`, limit: 10, label: "word" },
  ])("a label is cut at $limit code points if its text is $text", ({ text, limit, label }) => {
    expect(displayText(text, limit)).toBe(label);
  });

  test("a label is well formed, short, trimmed, and without markup and control characters, whatever the text", () => {
    const pieces = fc.constantFrom(
      "<",
      ">",
      "b",
      "/",
      "<b>",
      "</",
      "&lt;",
      "&gt;",
      "&#60;",
      "\u0000",
      "\u202e",
      " ",
      "\ud83d",
      "😀",
      "<!--",
      "-->",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (parts, limit) => {
        const label = displayText(parts.join(""), limit);
        expect(label.isWellFormed()).toBe(true);
        expect([...label].length).toBeLessThanOrEqual(limit);
        expect(label).toBe(label.trim());
        expect(label).not.toMatch(/<\/?[a-z][^<>]*>|\p{Cc}|\p{Bidi_Control}/iu);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("counting the characters of a text without cleaning it first", () => {
  const units = fc.array(
    fc.constantFrom(
      "a",
      "é",
      "你",
      "😀",
      "\ud83d",
      "\ude00",
      " ",
      "  ",
      "\t",
      "\n",
      "\u00a0",
      "\u2003",
      "\ufeff",
      "\u200b",
      "<b>",
      "&amp;",
    ),
    { maxLength: 30 },
  );

  test("cleanLength is the length of the cleaned text", () => {
    fc.assert(
      fc.property(units, (parts) => {
        const text = parts.join("");
        expect(cleanLength(text)).toBe(countCodePoints(cleanText(text)));
      }),
      { numRuns: 3000 },
    );
  });
});
