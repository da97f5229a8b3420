/**
 * Signs in with ORCID, or with another OpenID Connect provider that identifies people by ORCID iD. Uses the
 * authorization code flow with PKCE (RFC 7636), and checks issuer, audience, expiry, nonce and signature of the
 * identity token (OpenID Connect Core, 3.1.3.7).
 *
 * The iD is added to the signed-in account only if a page of this site requested that, the account has no iD, and no
 * other account has this iD. Without these conditions, another site could add a user's iD to an attacker's account. In
 * all other cases, the user is signed in to the account of the iD, which is created if necessary.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import * as oidc from "openid-client";
import { readOrcid } from "../../pipeline/reading/identifiers.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { User } from "../../schemas/public/account/me.ts";
import { plainText } from "../../schemas/public/text.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { type OneOriginFetch, oneOriginFetch, ServiceUnavailable } from "../http/guarded-fetch.ts";
import type { Site } from "../http/own-site.ts";
import type { Session } from "../http/read-request.ts";
import { ProblemError } from "../http/response.ts";
import { type Accounts, isUniqueViolation } from "./database.ts";
import {
  accountOfOrcid,
  digestOfToken,
  findUser,
  linkOrcid,
  newToken,
  type OpenedSession,
  type OrcidPerson,
  PENDING_SECONDS,
  type Sessions,
} from "./sessions.ts";
import type { AccountTables } from "./tables.ts";

export interface OrcidServices {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly provider: Provider;
  readonly now: Effects["now"];
  readonly log: Effects["log"];
}

export interface StartedSignIn {
  readonly authorizationUrl: string;
  readonly secret: string;
}

export interface FinishedSignIn extends OpenedSession {
  readonly user: User;
  readonly returnTo: string;
}

export interface CallbackRequest {
  /** The secret in the browser's cookie; null if there is none. */
  readonly secret: string | null;
  readonly query: string;
  readonly signed: Session | null;
  readonly agent: string | null;
}

const START_AGAIN = "This sign-in was started in another browser, or too long ago. Start again.";
const CALLBACK_PATH = "/auth/orcid/callback";

export class OrcidSignIn {
  readonly #parts: OrcidServices;

  constructor(parts: OrcidServices) {
    this.#parts = parts;
  }

  /**
   * Starts a sign-in. `adding` is the session whose account receives the iD; null to sign in with the iD.
   * @throws ProblemError `provider-unreachable`
   */
  async start(returnTo: string, adding: Session | null): Promise<StartedSignIn> {
    const { accounts, provider, site, now } = this.#parts;
    const secret = newToken();
    const authorizationUrl = await this.#withProblems(() =>
      provider.authorizationUrl(site.buildUrl(CALLBACK_PATH), deriveSecrets(secret)),
    );
    const user = adding === null ? null : await findUser(accounts.db, adding.accountId);
    const addTo = user === null || user.orcid !== null ? null : user.id;
    await storePending(accounts.db, secret, { returnTo, addTo }, now());
    return { authorizationUrl, secret };
  }

  /**
   * Completes the sign-in that this browser started. A sign-in can be completed only once.
   * @throws ProblemError `sign-in-failed` or `provider-unreachable`
   */
  async finish({ secret, query, signed, agent }: CallbackRequest): Promise<FinishedSignIn> {
    const { accounts, provider, sessions, site, now } = this.#parts;
    const callback = new URL(`${CALLBACK_PATH}?${query}`, site.origin);
    // The state is checked first, because a forged callback must not use up a pending sign-in.
    if (secret === null || !isExpectedState(secret, callback.searchParams.get("state") ?? undefined))
      throw signInFailed(START_AGAIN);
    const pending = await takePending(accounts.db, secret, signed?.accountId ?? null, now());
    if (pending === null) throw signInFailed(START_AGAIN);
    const person = await this.#withProblems(() => provider.person(callback, deriveSecrets(secret)));
    const user = await this.#account(person, pending.addTo);
    const opened = await sessions.open(user.id, { method: "orcid", agent });
    return { ...opened, user, returnTo: pending.returnTo };
  }

  async #account(person: OrcidPerson, addTo: string | null): Promise<User> {
    const { accounts, now } = this.#parts;
    const linked = addTo === null ? null : await linkOrcid(accounts.db, addTo, person).catch(nullIfLinked);
    return linked ?? accountOfOrcid(accounts.db, person, now());
  }

  async #withProblems<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw providerProblem(error, this.#parts.log);
    }
  }
}

/** Returns null if the iD was not unique, because another request linked it after the check. Throws any other error. */
function nullIfLinked(error: unknown): null {
  if (isUniqueViolation(error)) return null;
  throw error;
}

type Db = Kysely<AccountTables>;

/**
 * Values that bind a sign-in to its callback, its identity token and the exchange of its code. They are derived from
 * the secret in the browser's cookie.
 */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export function deriveSecrets(secret: string): SignInSecrets {
  const derived = (purpose: string) => createHmac("sha256", secret).update(purpose).digest("base64url");
  return { state: derived("state"), nonce: derived("nonce"), codeVerifier: derived("code verifier") };
}

function isExpectedState(secret: string, state: string | undefined): boolean {
  const [expected, received] = [Buffer.from(deriveSecrets(secret).state), Buffer.from(state ?? "")];
  return expected.length === received.length && timingSafeEqual(expected, received);
}

/** A sign-in that waits for the callback. `addTo` is the account that receives the iD; null to sign in with the iD. */
interface PendingSignIn {
  readonly returnTo: string;
  readonly addTo: string | null;
}

async function storePending(db: Db, secret: string, { returnTo, addTo }: PendingSignIn, now: Date): Promise<void> {
  const expires = new Date(now.getTime() + PENDING_SECONDS * 1000);
  await db
    .insertInto("pending_sign_in")
    .values({
      digest: digestSecret(secret, addTo),
      return_to: returnTo,
      created_at: now.toISOString(),
      expires_at: expires.toISOString(),
    })
    .execute();
}

/**
 * Removes a pending sign-in and returns it; null if there is none, or if it has expired. A sign-in that adds an iD to
 * an account is found only if `signedIn` is that account.
 */
async function takePending(db: Db, secret: string, signedIn: string | null, now: Date): Promise<PendingSignIn | null> {
  for (const addTo of signedIn === null ? [null] : [signedIn, null]) {
    const row = await db
      .deleteFrom("pending_sign_in")
      .where("digest", "=", digestSecret(secret, addTo))
      .returning(["return_to", "expires_at"])
      .executeTakeFirst();
    if (row !== undefined) return row.expires_at > now.toISOString() ? { returnTo: row.return_to, addTo } : null;
  }
  return null;
}

function digestSecret(secret: string, addTo: string | null): string {
  return digestOfToken(`${secret} ${addTo ?? ""}`);
}

export interface ProviderOptions {
  /** URL of the identity provider: https, or http on loopback; https://orcid.org by default. */
  readonly issuer?: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const ORCID_ISSUER = "https://orcid.org";

/** Limits of a response of the provider. A configuration or a token has a few kilobytes, a key set more. */
const BOUNDS = { milliseconds: 10_000, bytes: 512 * 1024 } as const;

/** Accepted difference between the clocks of the server and the provider, in seconds. */
const CLOCK_TOLERANCE = 60;

/** The time for which the configuration of the provider is cached: one day. */
const DISCOVERY_MILLISECONDS = 86_400_000;

const MAX_NAME_LENGTH = 200;
const shownName = plainText({ least: 1, most: MAX_NAME_LENGTH });

export class Provider {
  readonly #issuer: URL;
  readonly #options: ProviderOptions;
  readonly #now: () => Date;
  readonly #outbound: OneOriginFetch;
  #discovered: { readonly at: number; readonly configuration: Promise<oidc.Configuration> } | null = null;

  /**
   * Takes the options of the provider, but does not contact it yet.
   * @throws ConfigurationError for an issuer that is neither an https URL nor an http URL on loopback
   */
  constructor(options: ProviderOptions, now: () => Date) {
    this.#issuer = issuerUrl(options.issuer ?? ORCID_ISSUER);
    this.#options = options;
    this.#now = now;
    this.#outbound = oneOriginFetch(this.#issuer.origin, BOUNDS);
  }

  /**
   * Returns the URL of the provider at which the user signs in. The provider then redirects the browser to
   * `redirectUri`.
   * @throws errors of oidc and fetch, which `providerProblem` converts
   */
  async authorizationUrl(redirectUri: string, { state, nonce, codeVerifier }: SignInSecrets): Promise<string> {
    const parameters = {
      redirect_uri: redirectUri,
      scope: "openid",
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    };
    return oidc.buildAuthorizationUrl(await this.#configuration(), parameters).href;
  }

  /**
   * Returns the person who signed in. `callback` is the URL to which the provider redirected the browser, with its
   * query.
   * @throws errors of oidc and fetch, and ProblemError if the token has no valid iD
   */
  async person(callback: URL, { state, nonce, codeVerifier }: SignInSecrets): Promise<OrcidPerson> {
    const tokens = await oidc.authorizationCodeGrant(await this.#configuration(), callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    const orcid = readOrcid(claims?.sub ?? null);
    // The iD must be canonical, and equal to the one that ORCID sends beside the token.
    if (claims === undefined || orcid === null || orcid !== claims.sub || (tokens.orcid ?? orcid) !== orcid) {
      throw signInFailed("The identity provider did not return a valid ORCID iD. Try again, or sign in by email.");
    }
    const { name, given_name, family_name } = claims;
    const parts = [given_name, family_name].filter((part) => typeof part === "string");
    return { orcid, name: readName(tokens.name) ?? readName(name) ?? readName(parts.join(" ")) };
  }

  close(): Promise<void> {
    return this.#outbound.close();
  }

  /** Returns the provider's configuration. Reads it at the first request, retries after a failure, and caches it for a day. */
  #configuration(): Promise<oidc.Configuration> {
    const now = this.#now().getTime();
    if (this.#discovered !== null && now - this.#discovered.at < DISCOVERY_MILLISECONDS)
      return this.#discovered.configuration;
    const discovered = { at: now, configuration: this.#discover() };
    this.#discovered = discovered;
    discovered.configuration.catch(() => {
      if (this.#discovered === discovered) this.#discovered = null;
    });
    return discovered.configuration;
  }

  /** Reads the provider's configuration. An invalid configuration counts as an unavailable provider. */
  async #discover(): Promise<oidc.Configuration> {
    try {
      return await this.#discovery();
    } catch (cause) {
      throw new ServiceUnavailable(
        "the configuration of the identity provider cannot be read; check ORCID_ISSUER, and that this server can reach it",
        {
          cause,
        },
      );
    }
  }

  #discovery(): Promise<oidc.Configuration> {
    const { clientId, clientSecret } = this.#options;
    return oidc.discovery(
      this.#issuer,
      clientId,
      { [oidc.clockTolerance]: CLOCK_TOLERANCE },
      oidc.ClientSecretPost(clientSecret),
      {
        [oidc.customFetch]: (url, { body, method, headers, signal }) =>
          this.#outbound.fetch(url, {
            method,
            headers,
            ...(body === undefined ? {} : { body: String(body) }),
            ...(signal === undefined ? {} : { signal }),
          }),
        timeout: BOUNDS.milliseconds / 1000,
        // Without this option, the signature of the identity token is not checked, because the token came over HTTPS.
        execute: [
          oidc.enableNonRepudiationChecks,
          ...(this.#issuer.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
  }
}

function issuerUrl(issuer: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const loopback = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url !== null && (url.protocol === "https:" || (url.protocol === "http:" && loopback))) return url;
  throw new ConfigurationError("ORCID_ISSUER is not an https URL; set it to a URL such as https://orcid.org");
}

/** Returns a name that the provider sent; null if it sent none, or a name that cannot be shown. */
function readName(received: unknown): string | null {
  if (typeof received !== "string") return null;
  const name = shownName.safeParse([...received.replace(/\s+/g, " ").trim()].slice(0, MAX_NAME_LENGTH).join(""));
  return name.success ? name.data : null;
}

const RETRY_AFTER_SECONDS = "30";

/** OAuth errors that this server or the provider causes, and not the user (RFC 6749, 4.1.2.1, 5.2). */
const NOT_USER_ERRORS = [
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "server_error",
  "temporarily_unavailable",
];

const INVALID_RESPONSES = [
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_PARSE_ERROR",
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_INVALID_SERVER_METADATA",
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
  "OAUTH_UNSUPPORTED_OPERATION",
];

/** Converts an error to a problem. Logs only error codes, because messages may contain an authorization code or a token. */
function providerProblem(error: unknown, log: Effects["log"]): ProblemError {
  if (error instanceof ProblemError) return error;
  const rejection = readProviderError(error);
  const unreachable = isUnavailable(error) || (rejection !== null && isNotUserError(rejection));
  log({
    level: unreachable ? "error" : "warn",
    event: unreachable ? "provider-unreachable" : "sign-in-failed",
    code: innermostCode(error),
    status: rejection?.status ?? null,
    error: rejection?.error ?? null,
  });
  if (unreachable) return providerUnreachable();
  // An internal error is thrown unchanged.
  if (rejection === null && !(error instanceof oidc.ClientError)) throw error;
  return signInFailed(
    rejection?.error === "access_denied"
      ? "You declined to sign in at the identity provider. Start again if you want to sign in."
      : "The identity provider's response is invalid or already used. Start again.",
  );
}

function signInFailed(detail: string): ProblemError {
  return new ProblemError("sign-in-failed", detail);
}

function providerUnreachable(): ProblemError {
  return new ProblemError("provider-unreachable", "The identity provider did not respond correctly. Try again later.", {
    headers: { "retry-after": RETRY_AFTER_SECONDS },
  });
}

interface ProviderError {
  /** The OAuth error code; null if it is missing or not a plain word. */
  readonly error: string | null;
  readonly status: number | null;
}

function readProviderError(error: unknown): ProviderError | null {
  const word = (text: string | undefined) => (text !== undefined && /^[a-z_]{1,40}$/.test(text) ? text : null);
  if (error instanceof oidc.ResponseBodyError) return { error: word(error.error), status: error.status };
  if (error instanceof oidc.AuthorizationResponseError) return { error: word(error.error), status: null };
  if (error instanceof oidc.WWWAuthenticateChallengeError) return { error: null, status: error.status };
  return null;
}

function isNotUserError({ error, status }: ProviderError): boolean {
  if (error !== null && NOT_USER_ERRORS.includes(error)) return true;
  return status !== null && (status >= 500 || status === 429 || (error === null && status === 401));
}

function innermostCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const inner = innermostCode(error.cause);
  return inner !== "unknown" || !("code" in error) ? inner : String(error.code);
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof ServiceUnavailable) return true;
  if (!(error instanceof Error)) return false;
  return (
    (error instanceof oidc.ClientError && INVALID_RESPONSES.includes(error.code ?? "")) || isUnavailable(error.cause)
  );
}
