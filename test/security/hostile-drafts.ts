/** Documents that mean harm to who reads them as metadata of one record, within the size that a draft may have. */

import { LARGEST_DRAFT } from "../../schemas/public/api/evaluation.ts";

interface HostileDraft {
  readonly name: string;
  readonly source: string;
  readonly type: string;
  readonly body: () => string;
  /** What no answer may hold. */
  readonly not: RegExp;
}

const SIZE = LARGEST_DRAFT - 1000;
const JSON_TYPE = "application/json";
const XML_TYPE = "application/xml";
const NOTHING = /root:x:0|\bat .*\.ts:\d/;

const zenodo = (metadata: string, rest = "") => `{"metadata":{"upload_type":"dataset",${metadata}}${rest}}`;

const LAUGHS = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join("");

const eml = (text: string) =>
  `<eml:eml xmlns:eml="x" packageId="knb-lter-x.1.1"><dataset><title>${text}</title></dataset></eml:eml>`;

const json = (name: string, body: () => string, not = NOTHING): HostileDraft => ({
  name,
  source: "zenodo",
  type: JSON_TYPE,
  body,
  not,
});
const xml = (name: string, body: () => string, not = NOTHING): HostileDraft => ({
  name,
  source: "edi",
  type: XML_TYPE,
  body,
  not,
});

/** A graph of people, written out until there is no more room, who refer to one organisation. */
const crowd = (organisation: string, person: (i: number) => string) => {
  const people: string[] = [];
  for (let size = organisation.length + 200; size < SIZE; size += people.at(-1)?.length ?? 0) {
    people.push(`,{"@id":"#${people.length}","@type":"Person",${person(people.length)}}`);
  }
  const creators = people.map((_, i) => `{"@id":"#${i}"}`);
  const room = Math.floor(people.length / 2);
  return `{"@context":"https://schema.org","@graph":[{"@id":"./","@type":"Dataset","name":"x","creator":[${creators.slice(0, room).join()}]},{"@id":"#o",${organisation}}${people.slice(0, room).join("")}]}`;
};

const linked = (name: string, body: () => string): HostileDraft => ({
  name,
  source: "datacite",
  type: JSON_TYPE,
  body,
  not: NOTHING,
});

export const HOSTILE_DRAFTS: readonly HostileDraft[] = [
  xml(
    "entities that grow a thousand million times",
    () => `<!DOCTYPE e [<!ENTITY l0 "lol">${LAUGHS}]>${eml("&l9;")}`,
    /lollol/,
  ),
  xml("an entity of a file", () => `<!DOCTYPE e [<!ENTITY f SYSTEM "file:///etc/passwd">]>${eml("&f;")}`),
  xml("a document type of elsewhere", () => `<!DOCTYPE e SYSTEM "http://127.0.0.1:1/e.dtd">${eml("x")}`),
  xml("elements within elements", () => "<a>".repeat(SIZE / 7) + "</a>".repeat(SIZE / 7)),
  xml("an element that is never closed", () => "<a>".repeat(SIZE / 3)),
  xml(
    "attributes by the ten thousand",
    () => `<a ${Array.from({ length: 60_000 }, (_, i) => `b${i}="1"`).join(" ")}/>`,
  ),
  xml("comments without an end", () => eml("<!--".repeat(SIZE / 5))),
  xml("characters that are none", () => eml("&#0;&#x1F;&#xD800;&#xFFFE;")),
  xml("a title that turns over", () => eml("\u202egnp.exe\u202c <script>alert(1)</script>")),
  json("arrays within arrays", () => "[".repeat(SIZE)),
  json("objects within objects", () => `${'{"metadata":'.repeat(SIZE / 14)}1${"}".repeat(SIZE / 14)}`),
  json("as many values as it has room for", () => zenodo(`"keywords":[${'"",'.repeat(SIZE / 4)}""]`)),
  json("as many creators as it has room for", () => zenodo(`"creators":[${'{"name":"A, B"},'.repeat(SIZE / 20)}{}]`)),
  json("as many files as it has room for", () =>
    zenodo(`"title":"x"`, `,"files":[${'{"key":"a.csv"},'.repeat(SIZE / 20)}{}]`),
  ),
  json("a description of brackets", () => zenodo(`"title":"x","description":"${"<".repeat(SIZE - 200)}"`)),
  json("a description of escapes", () => zenodo(`"title":"x","description":"${"\\u0000".repeat(SIZE / 7)}"`)),
  json("members that would change an object's nature", () =>
    zenodo(`"title":"x","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}`),
  ),
  json("a title that steers", () => zenodo('"title":"\\u202egnp.exe \\u001b[2J<script>alert(1)</script>"')),
  json("a licence and people of markup", () =>
    zenodo(
      '"title":"x","license":{"id":"<script>alert(1)</script>"},"creators":[{"name":"<img src=x onerror=\\"alert(1)\\">, \\u202eB"}]',
    ),
  ),
  json("numbers where there are texts", () => zenodo('"title":1e999,"creators":9007199254740993,"keywords":-0')),
  linked("people of one organisation with a long name", () =>
    crowd(`"name":"${"x".repeat(100_000)}"`, (i) => `"name":"A${i}, B","affiliation":{"@id":"#o"}`),
  ),
  linked("people of one organisation with as many identifiers as there is room for", () =>
    crowd(`"identifier":[${"{},".repeat(200_000)}{}]`, (i) => `"name":"A${i}, B","affiliation":{"@id":"#o"}`),
  ),
  linked("datasets that are parts of each other", () =>
    crowd(
      '"@type":"Dataset","hasPart":{"@id":"#o"}',
      (i) => `"@type":"Dataset","hasPart":[{"@id":"#${i + 1}"},{"@id":"#o"}]`,
    ),
  ),
  linked("as many keywords as it has room for", () => `{"@type":"Dataset","keywords":"${"a,".repeat(SIZE / 2 - 50)}"}`),
  linked("a citation of digits", () => `{"@type":"Dataset","citation":"${"10.1111".repeat(SIZE / 7 - 50)}"}`),
  json("what is no text", () => "\u0000\u001f\u008b\ufffd".repeat(1000)),
];
