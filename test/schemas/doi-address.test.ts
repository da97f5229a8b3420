/** The URL of a DOI leads to that DOI and to nothing else, whatever characters the DOI contains. */

import { expect, test } from "vitest";
import type { RecordDetail } from "../../schemas/public/api/record.ts";
import { doiAddress } from "../../schemas/public/doi-address.ts";
import { formatCitation } from "../../web/views/citations.ts";
import { buildLinkset, datasetLinkedData, signposts } from "../../web/views/linked-data.ts";

const CASES = [
  { doi: "10.5072/plain-1.2_3~4", path: "10.5072/plain-1.2_3~4" },
  { doi: "10.5072/(sici)1096:1;2-3", path: "10.5072/(sici)1096:1;2-3" },
  { doi: "10.5072/a#b", path: "10.5072/a%23b" },
  { doi: "10.5072/a?b=c", path: "10.5072/a%3Fb=c" },
  { doi: "10.5072/100%25", path: "10.5072/100%2525" },
  { doi: "10.5072/3:2<1::aid>3.0", path: "10.5072/3:2%3C1::aid%3E3.0" },
  { doi: '10.5072/a"b\\c^d`e{f|g}', path: "10.5072/a%22b%5Cc%5Ed%60e%7Bf%7Cg%7D" },
  { doi: "10.5072/a b+c[d]", path: "10.5072/a%20b%2Bc%5Bd%5D" },
  { doi: "10.5072/größe", path: "10.5072/gr%C3%B6%C3%9Fe" },
  { doi: "10.5072/\ud800", path: "10.5072/%EF%BF%BD" },
];

test.each(CASES)("the URL of the DOI $doi escapes what a path cannot contain", ({ doi, path }) => {
  const address = doiAddress(doi);
  expect(address).toBe(`https://doi.org/${path}`);
  const { pathname, search, hash } = new URL(address);
  expect([decodeURIComponent(pathname.slice(1)), search, hash]).toEqual([doi.toWellFormed(), "", ""]);
});

/** Returns a record with the fields that pages read. */
const record = (doi: string): RecordDetail =>
  ({
    id: `r${"0".repeat(24)}`,
    doi,
    title: "Rain",
    identifier: "x/1",
    authors: [],
    pubDate: null,
    repository: null,
    url: null,
    score: null,
  }) as never;

test.each(CASES)("every place with a link to $doi has the same URL", ({ doi, path }) => {
  const address = `https://doi.org/${path}`;
  const [[, cited] = []] = [...signposts(record(doi), null).matchAll(/<([^>]+)>; rel="cite-as"/g)];
  expect(cited).toBe(address);
  expect(JSON.stringify(buildLinkset(record(doi), null, "https://share.example"))).toContain(JSON.stringify(address));
  expect(datasetLinkedData(record(doi), "https://share.example")).toMatchObject({ url: address, identifier: address });
  expect(formatCitation(record(doi)).endsWith(address)).toBe(true);
});
