/** Error pages: each says whether the error is a fault of the service, and offers a next step that can help. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryKey, slugKey } from "../../api-static/routes/route.ts";
import { openStore } from "../../pipeline/store/store.ts";
import { buildProblem, type ProblemType } from "../../schemas/public/problem.ts";
import type { View } from "../../web/components/document.ts";
import { siteDocument } from "../../web/components/document.ts";
import { DEFAULT_FACE } from "../../web/components/face.ts";
import { browserName } from "../../web/views/me.ts";
import { problemView } from "../../web/views/problem.ts";
import { linkSentView, rejectedLinkView } from "../../web/views/sign-in.ts";
import { ask } from "../server/ask.ts";
import { serve } from "../server/test-store.ts";

const page = (view: View) =>
  siteDocument(view, { origin: "https://share.example", path: "/x", face: DEFAULT_FACE, release: null });

const problem = (type: ProblemType) => buildProblem(type, "The detail.", "/datasets");

const [FIND, BACK, NOT_YOURS] = [
  'class="find" action="/find"',
  "back button of your browser",
  "This is a fault of the service.",
];
const again = (path: string) => `href="${path}">Try again</a>`;

test.each([
  { type: "not-found", target: "/x", has: [FIND], has_not: ["Try again", NOT_YOURS] },
  { type: "invalid-parameter", target: "/x", has: [FIND, BACK], has_not: ["Try again", NOT_YOURS] },
  { type: "no-session", target: "/me", has: ['href="/sign-in"'], has_not: [FIND] },
  { type: "link-used", target: null, has: ['href="/sign-in">Request another link'], has_not: [FIND, "Try again"] },
  { type: "rate-limited", target: "/datasets?page=2", has: [again("/datasets?page=2")], has_not: [FIND, NOT_YOURS] },
  { type: "internal", target: "/countries", has: [again("/countries"), NOT_YOURS], has_not: [FIND] },
  { type: "overloaded", target: "/datasets", has: [again("/datasets"), NOT_YOURS], has_not: [FIND] },
  { type: "accounts-unavailable", target: null, has: [NOT_YOURS, BACK], has_not: [FIND, "Try again"] },
] as const)("the error page of $type offers only next steps that can help", ({ type, target, has, has_not }) => {
  const text = page(problemView(problem(type), null, target));
  for (const part of has) expect(text).toContain(part);
  for (const part of has_not) expect(text).not.toContain(part);
});

test.each([
  ["/nothing/here", "There is nothing at this URL. Start from /.", "There is no page at this address", null],
  ["/datasets/10.5072/a%20b", "There is nothing at this URL.", "There is no page at this address", "10.5072/a b"],
  ["/researchers/ann-o-lee-0000-0002-1825-009X", slugKey.unknown.detail, "There is no researcher at this", "ann o lee"],
  ["/repositories/Zenodoo", repositoryKey.unknown.detail, "There is no repository at this address", "Zenodoo"],
  ["/datasets/r1a613b3271281b736c4d1106", "It was withdrawn. Release 1 had it last.", "There is no page at", null],
  ["/guides/nope", "This guide does not exist. /help lists all guides.", "There is no page at this address", null],
])(
  "the error page of %s says in words for people what is missing, and searches for its name",
  (path, detail, title, name) => {
    const text = page(problemView(buildProblem("not-found", detail, path), null, path));
    expect(/<h1>([^<]*)/.exec(text)?.[1]).toContain(title);
    expect(text).toContain(detail);
    expect(/<input id="q"[^>]*? value="([^"]*)"/.exec(text)?.[1] ?? null).toBe(name);
  },
);

test.each([
  ["must be at least 1", "<code>page</code> must be at least 1"],
  ["is not a parameter of this endpoint; the nearest is search", "is not known on this page; the nearest is search"],
  [`must be one of ${"a, ".repeat(40)}b`, "has a value that this page does not know"],
])("the error page of a wrong value (%s) explains it, and links to the page without the value", (message, says) => {
  const wrong = buildProblem("invalid-parameter", "The detail.", "/datasets", [{ path: "page", message }]);
  const text = page(problemView(wrong, null, "/datasets?page=0"));
  expect(text).toContain(says);
  expect(text).toContain(message);
  expect(text).toContain('<a class="button" href="/datasets">');
});

test("the page after requesting a sign-in link names the email address, and a sign-in link that fails leads to a page that offers another", () => {
  expect(page(linkSentView("a<b>@example.org"))).toContain("to <bdi>a&lt;b&gt;@example.org</bdi>");
  const rejected = page(rejectedLinkView(problem("link-used")));
  expect(rejected).toContain("<h1>That link did not work</h1>");
  expect(rejected).toContain('<a class="button" href="/sign-in">Request another link</a>');
});

test("pages without a release say so, and when to try again", async () => {
  const root = mkdtempSync(join(tmpdir(), "share-empty-"));
  const server = await serve(openStore(root));
  try {
    const asked = (path: string) => ask(server.port, path, { headers: { accept: "text/html" } });
    const { status, text, headers } = await asked("/datasets?search=soil");
    expect([status, headers["content-type"]]).toEqual([503, "text/html; charset=utf-8"]);
    expect(text).toMatch(/Try again in \d+ seconds/);
    expect(text).toContain(again("/datasets?search=soil"));
    expect((await asked("/")).text).toContain("This site has no release yet.");
    // A path that could redirect to another site is not shown as a link.
    expect((await asked("/datasets?search=%5C")).text).not.toContain("Try again</a>");
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
});

test.each([
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
    "Chrome on Linux",
  ],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0", "Edge on Windows"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/17.0 Safari/605.1.15", "Safari on a Mac"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile Safari/604.1", "Safari on an iPhone"],
  ["Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0", "Firefox on Android"],
  ["curl/8.5.0", null],
])("in the list of sessions, the User-Agent %s is shown as %s", (agent, name) => {
  expect(browserName(agent)).toBe(name);
});
