/**
 * A real OpenID provider on this machine in place of ORCID. Its users are ORCID iDs. Its pages ask for a login and for consent,
 * and the test submits their forms over HTTP as a browser would.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import Provider from "oidc-provider";

export interface Person {
  readonly orcid: string;
  /** The name that the provider sends. If it is absent, the provider sends none. */
  readonly name?: string | null;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Adds a URL to which the provider may redirect. Call it before the first sign-in. */
  allow(redirectUri: string): void;
  /** Logs a person in, gives consent, and returns the URL to which the provider redirects the browser. */
  signIn(authorizationUrl: string, person: Person): Promise<URL>;
  /** Declines consent, and returns the URL to which the provider redirects the browser. */
  decline(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

const CLIENT_ID = "APP-SHARE0000000001";
const CLIENT_SECRET = "a-secret-of-the-tests-and-of-nobody-else";

export async function openIdentityProvider(): Promise<IdentityProvider> {
  const people = new Map<string, Person>();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server of the test has no port");
  const issuer = `http://127.0.0.1:${address.port}`;
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    allow(redirectUri) {
      server.removeAllListeners("request");
      server.on("request", makeProvider(issuer, redirectUri, people).callback());
    },
    signIn(authorizationUrl, person) {
      people.set(person.orcid, person);
      return walk(authorizationUrl, issuer, person.orcid);
    },
    decline: (authorizationUrl) => walk(authorizationUrl, issuer, null),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function makeProvider(issuer: string, redirectUri: string, people: ReadonlyMap<string, Person>): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    cookies: { keys: ["of the tests"] },
    pkce: { required: () => true },
    claims: { openid: ["sub", "name"] },
    // As at ORCID, the identity token itself contains the name.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: true } },
    ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 600, AccessToken: 600, AuthorizationCode: 60 },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => {
        const name = people.get(id)?.name;
        return { sub: id, ...(name === undefined ? {} : { name }) };
      },
    }),
  });
}

/** Number of pages after which `walk` gives up. A real sign-in has far fewer. */
const MAX_STEPS = 20;

/**
 * Follows the pages of the provider with cookies until it redirects to another site, and returns that URL. If `login` is null,
 * declines.
 */
async function walk(start: string, issuer: string, login: string | null): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: { readonly url: URL; readonly form: URLSearchParams | null } = { url: new URL(start), form: null };
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { url, form } = next;
    if (url.origin !== issuer) return url;
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form === null ? {} : { method: "POST", body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const location = answer.headers.get("location");
    const text = await answer.text();
    next = location === null ? answered(text, url, login) : { url: new URL(location, url), form: null };
  }
  throw new Error(`the provider did not redirect to another site within ${MAX_STEPS} pages`);
}

/** Returns the request that a user causes on a page of the provider: its form, or its cancel link if `login` is null. */
function answered(page: string, url: URL, login: string | null) {
  const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
  const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
  const [, abort] = /href="([^"]+\/abort)"/.exec(page) ?? [];
  if (login === null && abort !== undefined) return { url: new URL(abort, url), form: null };
  if (action === undefined || prompt === undefined)
    throw new Error(`the provider shows no form: ${page.slice(0, 2000)}`);
  return { url: new URL(action, url), form: new URLSearchParams({ prompt, login: login ?? "", password: "any" }) };
}
