/**
 * Researchers and their own datasets: the evidence of a claim, the account once the claim is approved, and forecasts of the
 * S-Index.
 */

import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { changeList } from "../../schemas/public/api/changes.ts";
import { recordDetail } from "../../schemas/public/api/record.ts";
import { type ResearcherDetail, researcherDetail } from "../../schemas/public/api/researcher.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { decide, showSubject } from "../../server/accounts/moderation.ts";
import { sIndexIf } from "../../server/site/s-index.ts";
import { type AccountServer, type Person, problemIn, serveAccounts } from "../account/world.ts";
import { hide } from "../hidden/hidden-world.ts";
import { ask } from "../server/ask.ts";
import { NOW } from "../server/test-store.ts";
import { type FilledStore, filledStore } from "../support/temporary-store.ts";
import { TWO_RELEASES } from "../support/two-releases.ts";

let store: FilledStore;
let server: AccountServer;
/** A researcher with a dataset whose score changed between the two releases. */
let changed: ResearcherDetail;

beforeAll(async () => {
  store = await filledStore(TWO_RELEASES);
  server = await serveAccounts(store.store, { sqlite: join(store.store.root, "accounts.sqlite") });
  const { data } = changeList.parse(await read("/releases/latest/changes?limit=100"));
  const details = await Promise.all(data.map(async ({ id }) => recordDetail.parse(await read(`/records/${id}`))));
  const slug = details.flatMap(({ authors }) => authors.flatMap((author) => author.slug ?? [])).at(0) ?? "";
  changed = researcherDetail.parse(await read(`/authors/${slug}`));
}, 300_000);

afterAll(async () => {
  await server?.close();
  await store?.[Symbol.asyncDispose]();
});

async function read(path: string): Promise<unknown> {
  const reply = await ask(server.port, path, { headers: { accept: "application/json" } });
  if (reply.status === 307) return read(String(reply.headers.location));
  expect(reply.status, `${path}: ${reply.text}`).toBe(200);
  return JSON.parse(reply.text);
}

const HTML = { accept: "text/html" };
const fetchProfile = async (person: Person) => (await person.ask("GET", "/me", undefined, HTML)).text;

const claimed = z.object({ id: z.string(), state: z.string(), evidence: z.string().nullable() });

async function approvedClaim(person: Person, slug: string, evidence?: string) {
  const claim = claimed.parse(await person.posted("/account/profile-claims", { authorSlug: slug, evidence }));
  await decide(server.accounts, { id: claim.id, verdict: "approved", reason: null, by: "moderator", now: NOW });
  return claim;
}

test("the evidence that a user adds to a claim is shown to moderators and in the account and its export, and has at most 500 characters", async () => {
  const person = await server.person();
  const evidence = "https://example.org/staff/me\nhas my <b>address</b>.";
  const form = { "content-type": "application/x-www-form-urlencoded", ...HTML };
  const page = await person.ask("GET", `/me/continue?do=claim&authorSlug=${changed.slug}`, undefined, HTML);
  expect(page.text).toContain('<textarea id="f-evidence" name="evidence" maxlength="500"');
  const fields = new URLSearchParams({ do: "claim", authorSlug: changed.slug, evidence });
  expect((await person.ask("POST", "/me", fields.toString(), form)).headers.location).toBe("/me?done=claim");
  const list = z.object({ data: z.array(claimed) });
  const [claim] = list.parse(await person.got("/account/profile-claims")).data;
  expect(claim).toMatchObject({ state: "pending", evidence });
  expect(await showSubject(server.accounts.db, claim?.id ?? "")).toMatchObject({ asks: "claim", reason: evidence });
  expect(await person.got("/account/export")).toMatchObject({ profileClaims: [{ evidence }] });
  await person.deleted(`/account/profile-claims/${claim?.id}`);
  for (const [sent, stored] of [
    ["", null],
    ["x".repeat(500), "x".repeat(500)],
  ] as const) {
    const body = { authorSlug: changed.slug, evidence: sent };
    const { id, evidence: kept } = claimed.parse(await person.posted("/account/profile-claims", body));
    expect(kept).toBe(stored);
    await person.deleted(`/account/profile-claims/${id}`);
  }
  for (const sent of ["x".repeat(501), "a\u202eb", 7]) {
    const reply = await person.ask("POST", "/account/profile-claims", { authorSlug: changed.slug, evidence: sent });
    expect(problemIn(reply)).toMatchObject({ status: 400, type: "invalid-body" });
  }
});

test("after a claim is approved, the account shows the S-Index, changes, three steps and the badge, until the page is hidden", async () => {
  const person = await server.person();
  expect(await fetchProfile(person)).not.toContain("Changes in the last release");
  const { id } = await approvedClaim(person, changed.slug);
  const text = await fetchProfile(person);
  expect(text).toContain(`<h2><a href="/researchers/${changed.slug}"><bdi>`);
  expect(text).toContain(`<b>${changed.sIndex}</b> S-Index`);
  const publicPage = await ask(server.port, `/researchers/${changed.slug}`, { headers: HTML });
  const section = text.slice(text.indexOf("Changes in the last release"), text.indexOf("Your researcher page"));
  expect(section).toMatch(/datasets? changed: \d+ up, \d+ down\./);
  expect(section).toContain("The metadata of the dataset changed:");
  expect(section).toContain(`/widgets/researchers/${changed.slug}/badge.svg`);
  const namesIn = (page: string) => page.split(' data-name="').map((rest) => rest.split('"')[0]);
  const steps = namesIn(section).slice(1);
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.length).toBeLessThanOrEqual(3);
  // These are the first steps on the page of the researcher.
  expect(namesIn(publicPage.text).slice(1, 1 + steps.length)).toEqual(steps);
  const publicText = async () => (await ask(server.port, `/researchers/${changed.slug}`, { headers: HTML })).text;
  await vi.waitFor(async () => expect(await publicText()).toContain("This page is claimed"), 20_000);
  expect(await publicText()).not.toContain("Is this you?");
  await hide(server.accounts.db, [changed]);
  try {
    await vi.waitFor(
      async () => expect(await fetchProfile(person)).not.toContain("Changes in the last release"),
      20_000,
    );
  } finally {
    await hide(server.accounts.db, []);
  }
  await person.deleted(`/account/profile-claims/${id}`);
  expect(await fetchProfile(person)).not.toContain("Changes in the last release");
});

test("the page of a researcher states the S-Index that would follow if a step was taken in the datasets of its sources, or every signal passed", async () => {
  const people = (await server.researchers()).filter(({ identityBasis }) => identityBasis !== "name");
  let risen = 0;
  for (const { slug } of people.slice(0, 5)) {
    const { datasets, sIndex } = researcherDetail.parse(await read(`/authors/${slug}`));
    const details = await Promise.all(datasets.map(async ({ id }) => recordDetail.parse(await read(`/records/${id}`))));
    const after = (isFixed: (source: string, signal: string) => boolean) => {
      const totals = details.map(({ score, signals, source }) => {
        const fixed = signals.filter(
          ({ id, state }) => state === "absent" && isFixed(source.identifier.split("/", 1)[0] ?? "", id),
        );
        return (score?.total ?? 0) + 4 * fixed.length;
      });
      return Math.max(
        ...[0, ...totals.keys(), totals.length].filter((k) => totals.filter((total) => total >= k).length >= k),
      );
    };
    expect(after(() => false)).toBe(sIndex);
    const { text } = await ask(server.port, `/researchers/${slug}`, { headers: HTML });
    const all = after(() => true);
    const sentence = `S-Index after several steps: now ${sIndex}, with all of them ${all}`;
    expect([slug, text.includes(sentence)]).toEqual([slug, all !== sIndex]);
    // A step states the mask of its signals in each of its sources.
    const steps = [...text.matchAll(/data-step="([^"]*)" data-name="([^"]*)"(.*?)<\/div>/gs)].map(
      ([, masks = "", name = "", words = ""]) => ({
        masks: masks.split(",").map((mask) => mask.split(" ")),
        name,
        words,
      }),
    );
    const isIn = (step: (typeof steps)[number] | undefined, source: string, signal: string) =>
      step?.masks.some(([own, mask]) => own === source && (Number(mask) & bit(SIGNAL_IDS.indexOf(signal))) !== 0) ===
      true;
    for (const step of steps) {
      const next = after((source, signal) => isIn(step, source, signal));
      const isStated = step.words.includes(`S-Index ${sIndex} → ${next}`);
      expect([slug, step.name, isStated]).toEqual([slug, step.name, next !== sIndex]);
    }
    // The table shows the effect of each step alone, and together with the steps above it.
    const table = text.split("<summary>S-Index after several steps")[1]?.split("</details>")[0] ?? "";
    const rows = [...table.matchAll(/<th scope="row">([^<]*)<\/th><td[^>]*>(\d+)<\/td><td[^>]*>(\d+)/g)];
    expect([slug, rows.length]).toEqual([slug, all === sIndex ? 0 : steps.length]);
    for (const [i, [, step = "", alone, together]] of rows.entries()) {
      expect([slug, step, Number(alone), Number(together)]).toEqual([
        ...[slug, steps[i]?.name],
        after((source, signal) => isIn(steps[i], source, signal)),
        after((source, signal) => steps.slice(0, i + 1).some((each) => isIn(each, source, signal))),
      ]);
    }
    risen += Number(all !== sIndex);
  }
  expect(people.length).toBeGreaterThan(0);
  expect(risen).toBeGreaterThan(0);
});

test("a step that is taken in the datasets of one source does not raise the totals of others", () => {
  const datasets = Array.from({ length: 6 }, (_, i) => ({
    source: i < 2 ? "zenodo" : "datacite",
    total: 4,
    absent: 1,
  }));
  const { after } = sIndexIf(datasets);
  const inSource = (source: string) => [{ source, signal: "S1" }] as const;
  expect([after(inSource("zenodo")), after(inSource("datacite"))]).toEqual([4, 4]);
  expect(after([...inSource("zenodo"), ...inSource("datacite")])).toBe(6);
});

const bit = (n: number) => 1 << n;

test.each([
  { name: "no dataset", datasets: [], now: 0, first: 0, all: 0 },
  { name: "one dataset of 0 points that lacks S1", datasets: [{ total: 0, absent: bit(0) }], now: 0, first: 1, all: 1 },
  {
    name: "nine datasets, of which one lacks S1 and another all signals",
    datasets: [
      ...Array.from({ length: 7 }, () => ({ total: 40, absent: 0 })),
      { total: 4, absent: bit(0) },
      { total: 0, absent: bit(25) - 1 },
    ],
    now: 7,
    first: 8,
    all: 8,
  },
  {
    name: "three scored versions and far fewer datasets",
    datasets: Array.from({ length: 3 }, () => ({ total: 60, absent: bit(24) })),
    now: 3,
    first: 3,
    all: 3,
  },
])(
  "a researcher with $name has the S-Index $now, $first if S1 passed, and $all if all signals passed",
  ({ datasets: some, now, first, all }) => {
    const datasets = some.map((each) => ({ source: "zenodo", ...each }));
    const found = sIndexIf(datasets);
    expect([found.now, found.after([{ source: "zenodo", signal: "S1" }]), found.all]).toEqual([now, first, all]);
    expect(found.kinds?.flatMap(({ datasets: n, ...kind }) => Array.from({ length: n }, () => kind))).toEqual(
      datasets.toSorted((one, other) => other.total - one.total),
    );
  },
);

test("a page omits the data for forecasts of the S-Index if there are more kinds of datasets than it can send to the browser", () => {
  const datasets = Array.from({ length: 1001 }, (_, absent) => ({ source: "zenodo", total: 0, absent }));
  expect(sIndexIf(datasets).kinds).toBeNull();
  expect(sIndexIf(datasets.slice(1)).kinds).toHaveLength(1000);
});
