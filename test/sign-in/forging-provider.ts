/**
 * An identity provider that forges responses. Its configuration and keys are valid, but a test decides its response when the
 * server exchanges a code for a token.
 */

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export interface Forgery {
  /** Claims that replace those of the valid identity token. The value undefined removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Fields that are added to the token response, or replace its fields. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** True to sign the token with an unknown key, but under the id of the known key. */
  readonly strangeKey?: true;
  /** A response that is sent in place of the token response. */
  readonly instead?: { readonly status: number; readonly type: string; readonly body: string };
  /** True to close the connection without a response. */
  readonly hangUp?: true;
}

export interface ForgingProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Sets how the responses to all further exchanges of a code are forged. */
  say(forgery: Forgery): void;
  /** The form fields of each exchange of a code so far. */
  readonly exchanges: readonly URLSearchParams[];
  close(): Promise<void>;
}

/** The ORCID iD in tokens as the subject, unless `claims` has another one. */
export const FORGED_ORCID = "0000-0001-5109-3700";

export async function openForgingProvider(): Promise<ForgingProvider> {
  const [known, strange] = [await generateKeyPair("RS256"), await generateKeyPair("RS256")];
  const keys = { keys: [{ ...(await exportJWK(known.publicKey)), kid: "known", alg: "RS256", use: "sig" }] };
  const exchanges: URLSearchParams[] = [];
  let forgery: Forgery = {};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === "/.well-known/openid-configuration") return json(response, 200, configuration(issuer));
    if (request.url === "/jwks") return json(response, 200, keys);
    exchanges.push(new URLSearchParams(Buffer.concat(chunks).toString("utf8")));
    if (forgery.hangUp) return request.socket.destroy();
    if (forgery.instead !== undefined) {
      const { status, type, body } = forgery.instead;
      return response.writeHead(status, { "content-type": type }).end(body);
    }
    const key = forgery.strangeKey ? strange.privateKey : known.privateKey;
    const token = await new SignJWT(buildClaims(issuer, forgery))
      .setProtectedHeader({ alg: "RS256", kid: "known" })
      .sign(key);
    json(response, 200, {
      access_token: "a",
      token_type: "bearer",
      expires_in: 600,
      id_token: token,
      ...forgery.members,
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server of the test has no port");
  const issuer = `http://127.0.0.1:${address.port}`;
  return {
    issuer,
    clientId: "APP-FORGED",
    clientSecret: "another-secret-of-the-tests",
    exchanges,
    say: (next) => {
      forgery = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function configuration(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

function buildClaims(issuer: string, { claims = {} }: Forgery): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const sound = { iss: issuer, aud: "APP-FORGED", sub: FORGED_ORCID, iat: now, exp: now + 600 };
  return Object.fromEntries(Object.entries({ ...sound, ...claims }).filter(([, value]) => value !== undefined));
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
