/**
 * Signing in with the identity provider: out with a secret in the browser's cookie, and back with it.
 *
 * Who is signed in already, has no iD yet, and asks on a page of this site for the iD to be added, has it added to their
 * account, where no other account has it. In every other case the iD's own account is signed in, and made where there is
 * none. Nothing is added unasked: somebody who was brought to sign in to another's account, by a link that was not meant
 * for them, would give that account their iD. Nor is it from elsewhere: another site could send a browser on its way.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import * as oidc from "openid-client";
import { orcidOf } from "../../pipeline/reading/identifiers.ts";
import type { Effects } from "../../pipeline/stage/effects.ts";
import type { User } from "../../schemas/public/account/me.ts";
import { plainText } from "../../schemas/public/account/registration.ts";
import { type OneOriginFetch, oneOriginFetch, ServiceAway } from "../http/guarded-fetch.ts";
import type { Signed } from "../http/read-request.ts";
import { ProblemError } from "../http/response.ts";
import { ConfigurationError } from "../options.ts";
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
import type { Site } from "./sign-in.ts";
import type { AccountTables } from "./tables.ts";

export interface OrcidParts {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly provider: Provider;
  readonly now: Effects["now"];
  readonly log: Effects["log"];
}

export interface Started {
  readonly authorizationUrl: string;
  /** For the browser's cookie. */
  readonly secret: string;
}

export interface Finished extends OpenedSession {
  readonly user: User;
  readonly returnTo: string;
}

export interface ReturnedBrowser {
  /** Of its cookie; null where it has none. */
  readonly secret: string | null;
  /** The query it came back with. */
  readonly query: string;
  readonly signed: Signed | null;
  readonly agent: string | null;
}

const BEGIN_AGAIN = "This sign-in was not begun in this browser, or was begun too long ago; begin again.";
const CALLBACK_PATH = "/auth/orcid/callback";

export class OrcidSignIn {
  readonly #parts: OrcidParts;

  constructor(parts: OrcidParts) {
    this.#parts = parts;
  }

  /**
   * `adding`: who is signed in, where they asked on a page of this site for the iD to be added.
   * @throws ProblemError `provider-unreachable`
   */
  async start(returnTo: string, adding: Signed | null): Promise<Started> {
    const { accounts, provider, site, now } = this.#parts;
    const secret = newToken();
    const authorizationUrl = await this.#asking(() =>
      provider.authorizationUrl(site.address(CALLBACK_PATH), checksOf(secret)),
    );
    const user = adding === null ? null : await findUser(accounts.db, adding.accountId);
    const addTo = user === null || user.orcid !== null ? null : user.id;
    await keepPending(accounts.db, secret, { returnTo, addTo }, now());
    return { authorizationUrl, secret };
  }

  /**
   * Takes the sign-in up where this browser left it, once.
   * @throws ProblemError `sign-in-failed` or `provider-unreachable`
   */
  async finish({ secret, query, signed, agent }: ReturnedBrowser): Promise<Finished> {
    const { accounts, provider, sessions, site, now } = this.#parts;
    const callback = new URL(`${CALLBACK_PATH}?${query}`, site.origin);
    // Before anything is taken: a forged return must not use up somebody's sign-in.
    if (secret === null || !isStateOf(secret, callback.searchParams.get("state") ?? undefined))
      throw signInFailed(BEGIN_AGAIN);
    const pending = await takePending(accounts.db, secret, signed?.accountId ?? null, now());
    if (pending === null) throw signInFailed(BEGIN_AGAIN);
    const person = await this.#asking(() => provider.person(callback, checksOf(secret)));
    const user = await this.#account(person, pending.addTo);
    const opened = await sessions.open(user.id, { method: "orcid", agent });
    return { ...opened, user, returnTo: pending.returnTo };
  }

  async #account(person: OrcidPerson, addTo: string | null): Promise<User> {
    const { accounts, now } = this.#parts;
    const linked = addTo === null ? null : await linkOrcid(accounts.db, addTo, person).catch(nullIfTaken);
    return linked ?? accountOfOrcid(accounts.db, person, now());
  }

  async #asking<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw providerProblem(error, this.#parts.log);
    }
  }
}

/** Somebody with the same iD was faster, in the moment between looking and writing. */
function nullIfTaken(error: unknown): null {
  if (isUniqueViolation(error)) return null;
  throw error;
}

type Db = Kysely<AccountTables>;

/**
 * The texts that tell one sign-in from another: at the browser's return, in the identity token, and at the exchange of
 * the code.
 */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636, 4.1: 43 characters. */
  readonly codeVerifier: string;
}

export function checksOf(secret: string): Checks {
  const derived = (purpose: string) => createHmac("sha256", secret).update(purpose).digest("base64url");
  return { state: derived("state"), nonce: derived("nonce"), codeVerifier: derived("code verifier") };
}

/** Whether what came back is the state of this browser's sign-in. */
function isStateOf(secret: string, state: string | undefined): boolean {
  const [expected, given] = [Buffer.from(checksOf(secret).state), Buffer.from(state ?? "")];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** `addTo`: the account that the iD is to be added to; null to sign in with whatever account it has. */
interface Pending {
  readonly returnTo: string;
  readonly addTo: string | null;
}

async function keepPending(db: Db, secret: string, { returnTo, addTo }: Pending, now: Date): Promise<void> {
  const expires = new Date(now.getTime() + PENDING_SECONDS * 1000);
  await db
    .insertInto("pending_sign_in")
    .values({
      digest: digestOf(secret, addTo),
      return_to: returnTo,
      created_at: now.toISOString(),
      expires_at: expires.toISOString(),
    })
    .execute();
}

/**
 * Takes what was kept, so that nobody takes it again. What was begun to add an iD to an account is only found with that
 * account signed in, which `signedIn` names; null where there is nothing to take.
 */
async function takePending(db: Db, secret: string, signedIn: string | null, now: Date): Promise<Pending | null> {
  for (const addTo of signedIn === null ? [null] : [signedIn, null]) {
    const row = await db
      .deleteFrom("pending_sign_in")
      .where("digest", "=", digestOf(secret, addTo))
      .returning(["return_to", "expires_at"])
      .executeTakeFirst();
    if (row !== undefined) return row.expires_at > now.toISOString() ? { returnTo: row.return_to, addTo } : null;
  }
  return null;
}

function digestOf(secret: string, addTo: string | null): string {
  return digestOfToken(`${secret} ${addTo ?? ""}`);
}

export interface ProviderOptions {
  /** https, or http on loopback; https://orcid.org unless something else is said. */
  readonly issuer?: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const ORCID_ISSUER = "https://orcid.org";

/** Its configuration and its answers have a few kilobytes; its keys, some more. */
const BOUNDS = { milliseconds: 10_000, bytes: 512 * 1024 } as const;

/** How far its clock and ours may be apart, in seconds. */
const CLOCK_TOLERANCE = 60;

/** How long its configuration is believed. */
const DISCOVERY_MILLISECONDS = 86_400_000;

const LONGEST_NAME = 200;
const shownName = plainText({ least: 1, most: LONGEST_NAME });

export class Provider {
  readonly #issuer: URL;
  readonly #options: ProviderOptions;
  readonly #now: () => Date;
  readonly #outbound: OneOriginFetch;
  #discovered: { readonly at: number; readonly configuration: Promise<oidc.Configuration> } | null = null;

  /** @throws ConfigurationError for an issuer that is no address it could be asked at */
  constructor(options: ProviderOptions, now: () => Date) {
    this.#issuer = issuerUrl(options.issuer ?? ORCID_ISSUER);
    this.#options = options;
    this.#now = now;
    this.#outbound = oneOriginFetch(this.#issuer.origin, BOUNDS);
  }

  /**
   * Where the browser goes, to come back to `redirectUri`.
   * @throws oidc and outbound errors, which `providerProblem` reads
   */
  async authorizationUrl(redirectUri: string, { state, nonce, codeVerifier }: Checks): Promise<string> {
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
   * Who has come back; `callback` is the address with the query they came back with.
   * @throws oidc and outbound errors, and ProblemError for a person who cannot be told
   */
  async person(callback: URL, { state, nonce, codeVerifier }: Checks): Promise<OrcidPerson> {
    const tokens = await oidc.authorizationCodeGrant(await this.#configuration(), callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    const orcid = orcidOf(claims?.sub ?? null);
    // The iD to the letter; ORCID says it once more beside the token.
    if (claims === undefined || orcid === null || orcid !== claims.sub || (tokens.orcid ?? orcid) !== orcid) {
      throw signInFailed("The identity provider named no valid ORCID iD.");
    }
    const { name, given_name, family_name } = claims;
    const parts = [given_name, family_name].filter((part) => typeof part === "string");
    return { orcid, name: nameOf(tokens.name) ?? nameOf(name) ?? nameOf(parts.join(" ")) };
  }

  close(): Promise<void> {
    return this.#outbound.close();
  }

  /** Asked for when it is first needed; what failed is tried again at once, and what succeeded once a day. */
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

  /** Whatever is wrong with its configuration, nobody who signs in is to blame. */
  async #discover(): Promise<oidc.Configuration> {
    try {
      return await this.#discovery();
    } catch (cause) {
      throw new ServiceAway("the identity provider has no usable configuration", { cause });
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
        // Without these the signature of the identity token would not be looked at: it came over TLS.
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
  throw new ConfigurationError("the issuer is no address of an identity provider; write https://orcid.org");
}

/** People may hide their name, or end it with a space; what cannot be shown is no name. */
function nameOf(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const name = shownName.safeParse([...given.replace(/\s+/g, " ").trim()].slice(0, LONGEST_NAME).join(""));
  return name.success ? name.data : null;
}

const RETRY_AFTER_SECONDS = "30";

/** Errors of OAuth that say something about us or about the provider, nothing about who signs in (RFC 6749, 4.1.2.1, 5.2). */
const NOT_THEIRS = [
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "server_error",
  "temporarily_unavailable",
];

/** Answers that are none: no JSON, not as OpenID Connect has them, or none at all. */
const NO_ANSWER = [
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

/** The problem of an error; logs its codes, never its words, which may repeat a code or a token. */
function providerProblem(error: unknown, log: Effects["log"]): ProblemError {
  if (error instanceof ProblemError) return error;
  const refusal = refusalOf(error);
  const unreachable = isAway(error) || (refusal !== null && isNotTheirs(refusal));
  log({
    level: unreachable ? "error" : "warn",
    event: unreachable ? "provider-unreachable" : "sign-in-failed",
    code: innermostCode(error),
    status: refusal?.status ?? null,
    error: refusal?.error ?? null,
  });
  if (unreachable) return providerUnreachable();
  // A fault of our own is none of theirs.
  if (refusal === null && !(error instanceof oidc.ClientError)) throw error;
  return signInFailed(
    refusal?.error === "access_denied"
      ? "Signing in was declined at the identity provider."
      : "The identity provider's answer does not belong to this sign-in, or was used before; begin again.",
  );
}

function signInFailed(detail: string): ProblemError {
  return new ProblemError("sign-in-failed", detail);
}

function providerUnreachable(): ProblemError {
  return new ProblemError("provider-unreachable", "The identity provider gave no usable answer; try again later.", {
    headers: { "retry-after": RETRY_AFTER_SECONDS },
  });
}

interface Refusal {
  /** A word of OAuth; null where there is none, or it could be anything. */
  readonly error: string | null;
  readonly status: number | null;
}

/** What the provider itself said no with. */
function refusalOf(error: unknown): Refusal | null {
  const word = (text: string | undefined) => (text !== undefined && /^[a-z_]{1,40}$/.test(text) ? text : null);
  if (error instanceof oidc.ResponseBodyError) return { error: word(error.error), status: error.status };
  if (error instanceof oidc.AuthorizationResponseError) return { error: word(error.error), status: null };
  if (error instanceof oidc.WWWAuthenticateChallengeError) return { error: null, status: error.status };
  return null;
}

function isNotTheirs({ error, status }: Refusal): boolean {
  if (error !== null && NOT_THEIRS.includes(error)) return true;
  return status !== null && (status >= 500 || status === 429 || (error === null && status === 401));
}

/** Where several errors lie within each other, the first one has the reason. */
function innermostCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const inner = innermostCode(error.cause);
  return inner !== "unknown" || !("code" in error) ? inner : String(error.code);
}

function isAway(error: unknown): boolean {
  if (error instanceof ServiceAway) return true;
  if (!(error instanceof Error)) return false;
  return (error instanceof oidc.ClientError && NO_ANSWER.includes(error.code ?? "")) || isAway(error.cause);
}
