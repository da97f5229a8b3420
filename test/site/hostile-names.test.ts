/** Names of any kind stay names: no markup, no script, no address that runs. */

import { expect, test } from "vitest";
import { SCRIPTS } from "../../web/script/index.ts";
import { HOSTILE_NAMES, hostilePages } from "./hostile-pages.ts";

/** Elements and attributes that no view of ours writes. */
const FOREIGN = /<img src=x|onerror="|<script>alert|href="javascript:|<\/title><\/script>/;

test.each(HOSTILE_NAMES)("no markup, no script, no address that runs: $name", ({ text }) => {
  for (const page of hostilePages(text)) {
    expect(page.match(/<\/html>/g)?.length).toBe(1);
    expect(page).not.toMatch(FOREIGN);
    // Those of ours that run, whole, and one of data, where there is one.
    const ours = SCRIPTS.filter((script) => page.includes(`<script>${script}</script>`));
    const data = page.match(/<script type="application\/ld\+json">/g) ?? [];
    expect(data.length).toBeLessThan(2);
    expect(page.match(/<script/g)?.length).toBe(ours.length + data.length);
    for (const [, data = ""] of page.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)) {
      expect(JSON.parse(data)).toMatchObject({ "@type": "Dataset", name: text });
    }
  }
});

test("a name in another direction turns nothing around it over", () => {
  for (const page of hostilePages("بيانات")) {
    for (const [element] of page.matchAll(/<(?:a|h1|p|span|bdi)[^>]*>بيانات</g)) {
      expect(element).toMatch(/<bdi>|dir="auto"/);
    }
  }
});

test("a researcher with ten thousand datasets has the best hundred on a page of moderate size", () => {
  const [, , page = ""] = hostilePages("Rain");
  expect(page).toContain("the best 100 of 10,000");
  expect(page.length).toBeLessThan(200_000);
});
