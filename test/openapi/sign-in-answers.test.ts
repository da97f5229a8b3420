/** What a real server answers at the addresses of signing in is what the document says of them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { SIGN_IN_ROUTES } from "../../api-static/routes/sign-in-routes.ts";
import type { Reply } from "../server/ask.ts";
import { SignInWorld } from "../sign-in/world.ts";
import { expectDescribed, PROBLEM_CONTENT } from "./described.ts";

let world: SignInWorld;
beforeAll(async () => {
  world = await SignInWorld.make();
});
afterAll(() => world[Symbol.asyncDispose]());

const JSON_CONTENT = "application/json";
const ORCID = { orcid: "0000-0002-1825-0097" };

interface Row {
  /** Of the route. */
  readonly name: string;
  readonly case: string;
  readonly asks: () => Promise<Reply>;
  readonly status: number;
  readonly type: string;
}

const row = (name: string, what: string, asks: Row["asks"], status: number, type = PROBLEM_CONTENT): Row => ({
  name,
  case: what,
  asks,
  status,
  type,
});

const signed = async () => (await world.signInByMail("described@example.org")).browser;
const backFrom = async () => {
  const browser = world.browser();
  return { browser, callback: await world.callbackFor(ORCID, browser, "/account") };
};
const link = (body: unknown) => world.browser().post("/auth/magic/request", body);
const consume = (body: unknown) => world.browser().post("/auth/magic/consume", body);
const stranger = () => world.browser({ origin: "https://evil.example" });
const UNKNOWN = `/account/sessions/s${"0".repeat(24)}`;

const ROWS: readonly Row[] = [
  row("orcid-start", "a program", () => world.browser().get("/auth/orcid/start"), 200, JSON_CONTENT),
  row("orcid-start", "a browser", () => world.browser().open("/auth/orcid/start"), 303, ""),
  row("orcid-start", "another site", () => world.browser().get("/auth/orcid/start?returnTo=//x"), 400),
  row(
    "orcid-callback",
    "a program",
    async () => {
      const { browser, callback } = await backFrom();
      return browser.get(callback);
    },
    200,
    JSON_CONTENT,
  ),
  row(
    "orcid-callback",
    "a browser",
    async () => {
      const { browser, callback } = await backFrom();
      return browser.open(callback);
    },
    303,
    "",
  ),
  row("orcid-callback", "nobody who began", () => world.browser().get("/auth/orcid/callback?code=a&state=b"), 400),
  row("orcid-callback", "a code twice", () => world.browser().get("/auth/orcid/callback?code=a&code=b"), 400),
  row("magic-page", "the page", () => world.browser().open("/auth/magic"), 200, "text/html"),
  row("magic-request", "an address", () => link({ email: "asked@example.org" }), 201, JSON_CONTENT),
  row("magic-request", "no address", () => link({}), 400),
  row("magic-request", "too much", () => link({ email: "x".repeat(70_000) }), 413),
  row("magic-request", "a stranger", () => stranger().post("/auth/magic/request", { email: "a@example.org" }), 403),
  row(
    "magic-consume",
    "a link",
    async () => consume({ token: await world.linkFor("used@example.org") }),
    201,
    JSON_CONTENT,
  ),
  row("magic-consume", "no link", () => consume({}), 400),
  row("magic-consume", "an unknown link", () => consume({ token: "a".repeat(43) }), 410),
  row("magic-consume", "a stranger", () => stranger().post("/auth/magic/consume", {}), 403),
  row("logout", "who is signed in", async () => (await signed()).post("/auth/logout"), 201, JSON_CONTENT),
  row("logout", "who is not", () => world.browser().post("/auth/logout"), 201, JSON_CONTENT),
  row("logout", "a stranger", () => stranger().post("/auth/logout"), 403),
  row("sessions", "who is signed in", async () => (await signed()).get("/account/sessions"), 200, JSON_CONTENT),
  row("sessions", "page zero", async () => (await signed()).get("/account/sessions?page=0"), 400),
  row("sessions", "who is not", () => world.browser().get("/account/sessions"), 401),
  row(
    "session",
    "one's own",
    async () => {
      const browser = await signed();
      const [{ id }] = JSON.parse((await browser.get("/account/sessions")).text).data;
      return browser.delete(`/account/sessions/${id}`);
    },
    200,
    JSON_CONTENT,
  ),
  row("session", "an unknown one", async () => (await signed()).delete(UNKNOWN), 404),
  row("session", "who is not signed in", () => world.browser().delete(UNKNOWN), 401),
  row("session", "a stranger", () => stranger().delete(UNKNOWN), 403),
];

test("every address of signing in is asked, and answers with success", () => {
  const succeeded = new Set(ROWS.filter(({ status }) => status < 300).map(({ name }) => name));
  expect([...succeeded].sort()).toEqual(Object.keys(SIGN_IN_ROUTES).sort());
});

test.each(ROWS)("$name, $case: $status $type", async ({ name, asks, status, type }) => {
  const reply = await asks();
  expect(reply.status).toBe(status);
  expect(reply.headers["cache-control"]).toBe("no-store");
  expectDescribed(name, reply, type);
});
