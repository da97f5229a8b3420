/**
 * Responses of an identity provider. Invalid ones must not sign in a user, and an unreachable provider has a problem type of
 * its own.
 */

import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProblemType } from "../../schemas/public/problem.ts";
import { freePort } from "../support/free-port.ts";
import type { Browser } from "./browser.ts";
import { FORGED_ORCID, type Forgery, type ForgingProvider, openForgingProvider } from "./forging-provider.ts";
import { SignInWorld } from "./world.ts";

const now = () => Math.floor(Date.now() / 1000);
const json = (status: number, body: unknown) => ({
  instead: { status, type: "application/json", body: JSON.stringify(body) },
});

const FORGERIES: readonly { name: string; forgery: () => Forgery; type: ProblemType }[] = [
  { name: "another audience", forgery: () => ({ claims: { aud: "APP-OTHER" } }), type: "sign-in-failed" },
  {
    name: "several audiences without an authorised party",
    forgery: () => ({ claims: { aud: ["APP-FORGED", "APP-OTHER"] } }),
    type: "sign-in-failed",
  },
  {
    name: "another authorized party",
    forgery: () => ({ claims: { aud: ["APP-FORGED", "APP-OTHER"], azp: "APP-OTHER" } }),
    type: "sign-in-failed",
  },
  { name: "no expiry", forgery: () => ({ claims: { exp: undefined } }), type: "sign-in-failed" },
  { name: "no subject", forgery: () => ({ claims: { sub: undefined } }), type: "sign-in-failed" },
  {
    name: "an expiry ten minutes ago",
    forgery: () => ({ claims: { iat: now() - 1200, exp: now() - 600 } }),
    type: "sign-in-failed",
  },
  {
    name: "a token that becomes valid in ten minutes",
    forgery: () => ({ claims: { nbf: now() + 600 } }),
    type: "sign-in-failed",
  },
  { name: "an unknown key", forgery: () => ({ strangeKey: true }), type: "sign-in-failed" },
  { name: "no token", forgery: () => ({ members: { id_token: undefined } }), type: "sign-in-failed" },
  {
    name: "an unsigned token",
    forgery: () => ({ members: { id_token: unsigned({ sub: FORGED_ORCID }) } }),
    type: "sign-in-failed",
  },
  { name: "a wrong check digit", forgery: () => ({ claims: { sub: "0000-0001-5109-3701" } }), type: "sign-in-failed" },
  {
    name: "an iD in another spelling",
    forgery: () => ({ claims: { sub: "0000000151093700" } }),
    type: "sign-in-failed",
  },
  { name: "an email as the subject", forgery: () => ({ claims: { sub: "a@example.org" } }), type: "sign-in-failed" },
  {
    name: "another iD in the token response",
    forgery: () => ({ members: { orcid: "0000-0002-1825-0097" } }),
    type: "sign-in-failed",
  },
  {
    name: "a used code",
    forgery: () => json(400, { error: "invalid_grant", error_description: "Reused code" }),
    type: "sign-in-failed",
  },
  {
    name: "an error with another status",
    forgery: () => json(401, { error: "invalid_token" }),
    type: "sign-in-failed",
  },
  {
    name: "an unknown client",
    forgery: () => json(401, { error: "invalid_client" }),
    type: "provider-unreachable",
  },
  { name: "a server error", forgery: () => json(500, { error: "server_error" }), type: "provider-unreachable" },
  {
    name: "an HTML page",
    forgery: () => ({ instead: { status: 200, type: "text/html", body: "<h1>Hello</h1>" } }),
    type: "provider-unreachable",
  },
  {
    name: "an HTML error page",
    forgery: () => ({ instead: { status: 502, type: "text/html", body: "" } }),
    type: "provider-unreachable",
  },
  {
    name: "a truncated response",
    forgery: () => ({ instead: { status: 200, type: "application/json", body: '{"access' } }),
    type: "provider-unreachable",
  },
  {
    name: "a response that is too large",
    forgery: () => json(200, { x: "x".repeat(600_000) }),
    type: "provider-unreachable",
  },
  {
    name: "a redirect",
    forgery: () => ({ instead: { status: 302, type: "text/plain", body: "" } }),
    type: "provider-unreachable",
  },
  { name: "no response", forgery: () => ({ hangUp: true }), type: "provider-unreachable" },
];

/** Returns an identity token without a signature, which its header declares as `"alg": "none"`. */
function unsigned(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.`;
}

describe("an identity provider", () => {
  let provider: ForgingProvider;
  let world: SignInWorld;
  beforeAll(async () => {
    provider = await openForgingProvider();
    world = await SignInWorld.make({ provider });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await provider.close();
  });

  /**
   * Starts a sign-in and opens the callback with a valid state, so that only the forged response of the provider can be wrong.
   */
  async function comeBack(browser: Browser, forgery: Forgery) {
    const { authorizationUrl } = JSON.parse((await browser.get("/auth/orcid/start")).text);
    const { searchParams } = new URL(authorizationUrl);
    const claims = { nonce: searchParams.get("nonce"), ...forgery.claims };
    provider.say({ ...forgery, claims });
    return browser.get(`/auth/orcid/callback?code=some-code&state=${searchParams.get("state")}`);
  }

  test("a valid response of the provider signs the user in, and the provider gets the client secret, the code and its verifier", async () => {
    const browser = world.browser();
    const reply = await comeBack(browser, { members: { name: "From beside the token ", orcid: FORGED_ORCID } });
    expect(JSON.parse(reply.text).user).toMatchObject({ orcid: FORGED_ORCID, name: "From beside the token" });
    expect(Object.fromEntries(provider.exchanges.at(-1) ?? [])).toEqual({
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      grant_type: "authorization_code",
      code: "some-code",
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${world.origin}/auth/orcid/callback`,
    });
  });

  test.each([
    {
      name: "names in parts",
      forgery: { claims: { given_name: "Ada", family_name: "Lovelace" } },
      shown: "Ada Lovelace",
    },
    { name: "one part of a name", forgery: { claims: { given_name: "Ada", family_name: null } }, shown: "Ada" },
    {
      name: "an empty name in the token response",
      forgery: { members: { name: "" }, claims: { name: "Ada B." } },
      shown: "Ada B.",
    },
    {
      name: "a name that is not text",
      forgery: { members: { name: { first: "Ada" } }, claims: { name: "Ada C." } },
      shown: "Ada C.",
    },
  ])("the provider may send $name", async ({ forgery, shown }) => {
    expect(JSON.parse((await comeBack(world.browser(), forgery)).text).user.name).toBe(shown);
  });

  test("the clock of the provider may be half a minute ahead", async () => {
    const claims = { iat: now() + 30, nbf: now() + 30, exp: now() + 600 };
    expect((await comeBack(world.browser(), { claims })).status).toBe(200);
  });

  test.each(FORGERIES)("a response of the provider with $name leads to $type", async ({ forgery, type }) => {
    const browser = world.browser();
    const reply = await comeBack(browser, forgery());
    const status = type === "sign-in-failed" ? 400 : 502;
    expect([reply.status, JSON.parse(reply.text).type]).toEqual([status, `/problems/${type}`]);
    expect(reply.headers["retry-after"]).toBe(status === 502 ? "30" : undefined);
    expect(browser.cookies.has("share_session")).toBe(false);
    expect(reply.text).not.toMatch(/some-code|invalid_|server_error|Hello|http:/);
  });

  test.each([
    { error: "access_denied", status: 400 },
    { error: "server_error", status: 502 },
    { error: "temporarily_unavailable", status: 502 },
    { error: "<script>", status: 400 },
  ])("the error $error that the provider sends in place of a code leads to $status", async ({ error, status }) => {
    const browser = world.browser();
    const { authorizationUrl } = JSON.parse((await browser.get("/auth/orcid/start")).text);
    const state = new URL(authorizationUrl).searchParams.get("state");
    const reply = await browser.get(`/auth/orcid/callback?error=${encodeURIComponent(error)}&state=${state}`);
    expect(reply.status).toBe(status);
    expect(reply.text).not.toContain("script");
  });
});

describe("an identity provider that cannot be reached or used", () => {
  const CLIENT = { clientId: "a", clientSecret: "b" };

  test("a provider that does not respond is reported as unreachable, and tried again at the next request", async () => {
    const port = await freePort();
    await using world = await SignInWorld.make({ provider: { issuer: `http://127.0.0.1:${port}`, ...CLIENT } });
    const away = await world.browser().get("/auth/orcid/start");
    expect([away.status, JSON.parse(away.text).type, away.headers["retry-after"]]).toEqual([
      502,
      "/problems/provider-unreachable",
      "30",
    ]);
    expect(away.headers["set-cookie"]).toBeUndefined();
    const rude = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")).listen(port);
    expect((await world.browser().get("/auth/orcid/start")).status).toBe(502);
    rude.close();
  });

  test.each([
    { name: "an issuer that differs from its URL", change: { issuer: "https://evil.example" } },
    { name: "a token endpoint at another host", change: { token_endpoint: "http://127.0.0.2:1/token" } },
  ])("a provider whose configuration has $name signs in no user", async ({ change }) => {
    const http = await import("node:http");
    const server = http.createServer((_request, response) => {
      const own = {
        issuer,
        authorization_endpoint: `${issuer}/a`,
        token_endpoint: `${issuer}/t`,
        jwks_uri: `${issuer}/j`,
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...own, ...change }));
    });
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    server.listen(port, "127.0.0.1");
    await using world = await SignInWorld.make({ provider: { issuer, ...CLIENT } });
    const browser = world.browser();
    const start = await browser.get("/auth/orcid/start");
    const { authorizationUrl = `${issuer}/a?state=none` } = JSON.parse(start.text);
    const state = new URL(authorizationUrl).searchParams.get("state");
    const back = await browser.get(`/auth/orcid/callback?code=a&state=${state}`);
    expect([start.status, back.status]).not.toContain(303);
    expect([start.status, back.status]).toContain(502);
    expect(browser.cookies.has("share_session")).toBe(false);
    server.closeAllConnections();
    server.close();
  });
});
