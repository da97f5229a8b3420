/** The pages and forms of an account: its parts, claims, API keys, and forms that are sent after the session ended. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ACCOUNT_LIMITS, accountPage } from "../../schemas/public/account/me.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import type { ResearcherRow } from "../../schemas/public/api/researcher.ts";
import { decide } from "../../server/accounts/moderation.ts";
import { newId } from "../../server/accounts/sessions.ts";
import { type AccountServer, type Person, serveAccounts } from "../account/world.ts";
import { ask, type Reply } from "../server/ask.ts";
import { NOW, type ReleasedStore, releasedStore } from "../server/test-store.ts";
import { REJECTED_PATHS } from "../sign-in/return-paths.ts";

let store: ReleasedStore;
let server: AccountServer;
/** Researchers with an ORCID iD (`owners`) and without one (`others`), whose pages the tests claim. */
let owners: readonly ResearcherRow[];
let others: readonly ResearcherRow[];

const ANOTHER_ID = "0000-0002-1825-0097";

beforeAll(async () => {
  store = await releasedStore({ rubrics: ["2.0"], history: false });
  server = await serveAccounts(store.store, { sqlite: join(store.store.root, "accounts.sqlite") });
  const all = await server.researchers();
  owners = all.filter(({ orcid }) => orcid !== null && orcid !== ANOTHER_ID);
  others = all.filter(({ orcid }) => orcid === null);
});

afterAll(async () => {
  await server?.close();
  await store?.[Symbol.asyncDispose]();
});

const HTML = { accept: "text/html" };
const FORM = { ...HTML, "content-type": "application/x-www-form-urlencoded" };

const opened = (person: Person, path: string) => person.ask("GET", path, undefined, HTML);
const sent = (person: Person, path: string, fields: Readonly<Record<string, string>>) =>
  person.ask("POST", path, new URLSearchParams(fields).toString(), FORM);
const heading = ({ text }: Reply) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];

const claimPath = (authorSlug = "") => `/me/continue?${new URLSearchParams({ do: "claim", authorSlug })}`;
const submitClaim = async (person: Person, authorSlug = "") =>
  z
    .looseObject({ id: z.string(), state: z.string() })
    .parse(await person.posted("/account/profile-claims", { authorSlug }));
const approve = (id: string) =>
  decide(server.accounts, { id, verdict: "approved", reason: null, by: "moderator", now: NOW });

test("the form of a claim says whether it is approved at once or a moderator decides, and the claim then has that state", async () => {
  const [owned, taken] = owners;
  const [plain] = others;
  const byMail = await server.person();
  const byId = await server.person(owned?.orcid ?? "");
  const first = await server.person();
  await approve((await submitClaim(first, taken?.slug)).id);
  for (const [person, researcher, says, state] of [
    [byId, owned, "so your claim is approved immediately", "approved"],
    [byId, plain, "This page has no ORCID iD. A moderator", "pending"],
    [byMail, taken, "Another account has already claimed this page. A moderator", "pending"],
    [await server.person(ANOTHER_ID), owners[2], `another ORCID iD, ${ANOTHER_ID}. A moderator`, "pending"],
  ] as const) {
    const page = await opened(person, claimPath(researcher?.slug));
    expect([page.status, heading(page)]).toEqual([200, "Claim this researcher page?"]);
    expect(page.text).toContain(says);
    expect(page.text).toContain(`<bdi>${researcher?.name}</bdi>`);
    expect(page.text).toContain(`<input type="hidden" name="authorSlug" value="${researcher?.slug}">`);
    expect((await submitClaim(person, researcher?.slug)).state).toBe(state);
  }
});

test("a claim that is not allowed gets a page with the reason and a next step, in place of its form and after sending it", async () => {
  const [researcher, another] = others;
  const person = await server.person();
  await submitClaim(person, researcher?.slug);
  const full = await server.person();
  await server.accounts.db
    .insertInto("profile_claim")
    .values(
      Array.from({ length: ACCOUNT_LIMITS.profileClaims }, (_, i) => ({
        ...{ id: newId("c"), account_id: full.id, researcher_id: `x${i}`, slug: `x-${i}`, state: "rejected" },
        ...{ decision_reason: null, created_at: NOW.toISOString(), decided_at: NOW.toISOString() },
      })),
    )
    .execute();
  for (const [by, slug, status, title, next] of [
    [person, researcher?.slug, 409, "You have already claimed this page", "/me#claims"],
    [person, "nobody-0000000000", 404, "You cannot claim this page", "/researchers"],
    [person, "<b>", 404, "You cannot claim this page", "/researchers"],
    [full, another?.slug, 409, "You cannot claim another page", "/me#claims"],
  ] as const) {
    const before = await opened(by, claimPath(slug));
    const after = await sent(by, "/me", { do: "claim", authorSlug: slug ?? "" });
    expect([slug, before.status, heading(before)]).toEqual([slug, status, title]);
    expect(before.text).not.toContain('value="claim"');
    expect(before.text).toContain(`<a class="button" href="${next}">`);
    // The malformed slug <b> gets another error when the form is sent, because the body of the claim is invalid.
    if (slug !== "<b>") expect([slug, after.status, heading(after)]).toEqual([slug, status, title]);
  }
});

/** Sends a form without a session. Returns the reply, and in `returnTo` the path to which the sign-in will lead. */
async function sentSignedOut(path: string, fields: Readonly<Record<string, string>>) {
  const reply = await ask(server.port, path, {
    method: "POST",
    headers: { ...FORM, origin: `http://localhost:${server.port}` },
    body: new URLSearchParams(fields).toString(),
  });
  const { searchParams } = new URL(String(reply.headers.location), "http://localhost");
  return { ...reply, returnTo: searchParams.get("returnTo") ?? "" };
}

test("a form for an API key that is sent without a session is shown again with its text after the sign-in", async () => {
  const typed = { name: "Société <b>", email: "lab@example.org", description: "Weekly & monthly figures" };
  const { status, returnTo } = await sentSignedOut("/me/keys", typed);
  expect([status, returnTo]).toEqual([303, `/me/continue?${new URLSearchParams({ do: "get-key", ...typed })}`]);
  const person = await server.person();
  const page = await opened(person, returnTo);
  expect([page.status, heading(page)]).toEqual([200, "Get an API key"]);
  for (const value of ["Société &lt;b&gt;", "lab@example.org", "Weekly &amp; monthly figures"])
    expect(page.text).toContain(` value="${value}"`);
  expect((await sent(person, "/me/keys", typed)).text).toMatch(/share_live_\w{32}/);
  const long = await sentSignedOut("/me/keys", { ...typed, description: "long ".repeat(100) });
  expect(long.status).toBe(401);
  expect(long.text).toContain(` value="${"long ".repeat(100)}"`);
});

test("an account lists the API keys that were registered with its email address, and no other account can revoke them", async () => {
  const [owner, another] = [await server.person(), await server.person()];
  const { user } = accountPage.parse(await owner.got("/account/me"));
  const typed = { name: "Lab", email: user.email ?? "", description: "Monthly figures" };
  const key = /share_live_\w{32}/.exec((await sent(owner, "/me/keys", typed)).text)?.[0] ?? "";
  const withKey = () => ask(server.port, "/records?limit=1", { headers: { "x-api-key": key } });
  expect((await withKey()).status).toBe(200);
  const page = await opened(owner, "/me/keys");
  expect(page.text).toContain("Monthly figures");
  const { apiKeys } = accountPage.parse(await owner.got("/account/me"));
  const [own] = apiKeys;
  expect([apiKeys.length, own?.name, own?.revokedAt]).toEqual([1, "Lab", null]);
  const revoke = { do: "revoke-key", id: own?.id ?? "" };
  expect((await sent(another, "/me", revoke)).status).toBe(404);
  expect((await another.ask("DELETE", `/account/api-keys/${own?.id}`)).status).toBe(404);
  expect((await withKey()).status).toBe(200);
  const revoked = await sent(owner, "/me", revoke);
  expect(revoked.headers.location).toBe("/me/keys?done=revoke-key");
  expect((await withKey()).status).toBe(401);
  expect((await opened(owner, "/me/keys")).text).toMatch(/revoked <time/);
});

test("an account does not show the text that a stranger typed when registering a key with its email address", async () => {
  const [owner, stranger] = [await server.person(), await server.person()];
  const { user } = accountPage.parse(await owner.got("/account/me"));
  const words = { name: "Call 01632 960000 or lose your key", description: "Marker of a stranger" };
  const typed = { ...words, email: (user.email ?? "").toUpperCase() };
  expect((await sent(stranger, "/me/keys", typed)).text).toMatch(/share_live_\w{32}/);
  const { apiKeys } = accountPage.parse(await owner.got("/account/me"));
  expect(apiKeys.map(({ name, description }) => [name, description])).toEqual([[null, null]]);
  const shown = [(await opened(owner, "/me/keys")).text, (await owner.ask("GET", "/account/export")).text];
  for (const text of shown) expect(text).not.toMatch(/01632|Marker of a stranger/);
  expect(shown[0]).toContain("Registered by somebody who was not signed in");
  const revoked = await sent(owner, "/me", { do: "revoke-key", id: apiKeys[0]?.id ?? "" });
  expect(revoked.headers.location).toBe("/me/keys?done=revoke-key");
});

test("the form that erases an account has no effect if the session has ended, and the user must confirm again after the sign-in", async () => {
  const person = await server.person();
  const { status, returnTo } = await sentSignedOut("/me/erase", { sure: "yes" });
  expect([status, returnTo]).toEqual([303, "/me/erase"]);
  const signIn = await ask(server.port, `/sign-in?${new URLSearchParams({ returnTo })}`, { headers: HTML });
  expect(signIn.text).toContain("we ask again before we erase your account");
  const page = await opened(person, returnTo);
  expect(page.text).toMatch(/<input type="checkbox" name="sure" value="yes" required>/);
  expect((await person.ask("GET", "/account/me")).status).toBe(200);
  expect(heading(await sent(person, "/me/erase", { sure: "yes" }))).toBe("Your account is erased");
});

test("each part of the account has a URL, one heading, and its tab marked as current", async () => {
  const person = await server.person();
  const paths = ["/me", "/me/saved", "/me/submissions", "/me/keys", "/me/data"];
  const headings = new Set<string | undefined>();
  for (const path of paths) {
    const page = await opened(person, path);
    headings.add(heading(page));
    expect([path, page.status, page.text.match(/<h1[ >]/g)?.length]).toEqual([path, 200, 1]);
    expect(page.text).toContain(`<title>${heading(page)} – Your account – SHARE</title>`);
    const tabs = /<nav class="parts"[\s\S]*?<\/nav>/.exec(page.text)?.[0] ?? "";
    const links = [...tabs.matchAll(/<a href="([^"]+)"( aria-current="page")?>/g)];
    expect(links.map(([, to, current]) => [to, current !== undefined])).toEqual(paths.map((to) => [to, to === path]));
    const signedOut = await ask(server.port, path, { headers: HTML });
    expect(signedOut.headers.location).toBe(`/sign-in?${new URLSearchParams({ returnTo: path })}`);
  }
  expect(headings.size).toBe(paths.length);
});

test("after saving, a user is back on the page with the save button, or in the account if that page was on another site or in the account", async () => {
  const person = await server.person();
  const { data } = recordList.parse(await person.got("/records?limit=1"));
  const save = { do: "save-record", recordId: data[0]?.id ?? "" };
  const page = `/datasets/${save.recordId}?rubric=2.0`;
  const from = async (fields: object, referer: string) => {
    const body = new URLSearchParams({ ...save, ...fields }).toString();
    const reply = await person.ask("POST", "/me", body, { ...FORM, ...(referer === "" ? {} : { referer }) });
    expect(reply.status).toBe(303);
    return reply.headers.location;
  };
  const own = `http://localhost:${server.port}`;
  expect(await from({}, `${own}${page}`)).toBe(`${page}#item-saved`);
  expect(await from({ from: page }, `${own}/me/continue`)).toBe(`${page}#item-saved`);
  expect(await from({ from: `${page}#score` }, "")).toBe(`${page}#item-saved`);
  expect((await opened(person, page)).text).toContain('<p id="item-saved"');
  const account = "/me/saved?done=save-record";
  for (const path of ["/me", "/me/saved?saved=2", "/me/continue?do=save-record", "/auth/magic"]) {
    expect([path, await from({ from: path }, "")]).toEqual([path, account]);
    expect([path, await from({}, own + path)]).toEqual([path, account]);
  }
  for (const referer of ["https://evil.example/datasets/x", "about:blank", "x", `${own}//evil.example`])
    expect([referer, await from({}, referer)]).toEqual([referer, account]);
  for (const { name, path } of REJECTED_PATHS.filter(({ path }) => typeof path === "string" && path.length < 2000)) {
    const to = await from({ from: String(path) }, "");
    expect([name, to === account || to === `${String(path).split("#")[0]}#item-saved`]).toEqual([name, true]);
    expect([name, new URL(to ?? "", own).origin]).toEqual([name, own]);
    const asked = await opened(person, `/me/continue?${new URLSearchParams({ ...save, from: String(path) })}`);
    const links = [...asked.text.matchAll(/<a class="button quiet" href="([^"]*)">No, /g)].map(([, link = ""]) => link);
    expect([name, links.map((link) => new URL(link, own).origin)]).toEqual([name, [own]]);
  }
  // Without a session, the sign-in keeps the path of the page. If that is too long for a URL, the user ends in the account.
  const later = await sentSignedOut("/me", { ...save, from: page });
  expect(later.returnTo).toBe(`/me/continue?${new URLSearchParams({ ...save, from: page })}`);
  expect((await opened(person, later.returnTo)).text).toContain(
    `<a class="button quiet" href="${page}">No, go back</a>`,
  );
  const long = await sentSignedOut("/me", { ...save, from: `/datasets?search=${"x".repeat(250)}` });
  expect(long.returnTo).toBe(`/me/continue?${new URLSearchParams(save)}`);
});

test("a form in the account returns to its part of the account with a message, or shows the problem and the typed text", async () => {
  const person = await server.person();
  const { data } = recordList.parse(await person.got("/records?limit=1&repository=Zenodo"));
  const recordId = data[0]?.id ?? "";
  for (const [fields, to] of [
    [{ do: "claim", authorSlug: others[3]?.slug ?? "" }, "/me?done=claim"],
    [{ do: "save-record", recordId }, "/me/saved?done=save-record"],
    [{ do: "start-change-mails" }, "/me/saved?done=start-change-mails"],
    [{ do: "submit", identifier: "zenodo/55000001" }, "/me/submissions?done=submit"],
  ] as const) {
    const reply = await sent(person, "/me", fields);
    expect([reply.status, reply.headers.location]).toEqual([303, to]);
    expect((await opened(person, to)).text).toContain('<div class="done" role="status">');
  }
  // Submitting a dataset that the release already has leads to the page of the dataset.
  const shown = await sent(person, "/me", { do: "submit", identifier: `${data[0]?.doi ?? recordId}.` });
  expect([shown.status, shown.headers.location]).toEqual([303, `/datasets/${recordId}`]);
  for (const [path, fields, part] of [
    ["/me", { do: "withdraw-claim", id: "x" }, "Your profile"],
    ["/me", { do: "save-record", recordId: "x" }, "Saved items"],
    ["/me", { do: "submit", identifier: "x" }, "Submissions and checks"],
    ["/me/measurements", { identifier: "x" }, "Submissions and checks"],
    ["/me/keys", { name: "Lab", email: "x", description: "Figures" }, "API keys"],
    ["/me", { do: "revoke-key", id: "x" }, "API keys"],
    ["/me", { do: "end-session", id: "x" }, "Sessions and data"],
  ] as const) {
    const reply = await sent(person, path, fields);
    expect([path, fields, reply.status >= 400, heading(reply)]).toEqual([path, fields, true, part]);
    expect(reply.text).toContain('<div class="warn" role="alert">');
    if ("description" in fields) expect(reply.text).toContain('name="description" type="text" value="Figures"');
  }
});
