/**
 * The identity provider: ORCID, or another that speaks OpenID Connect and names people by their iD. Code flow with PKCE
 * (RFC 7636); issuer, audience, expiry, nonce and signature of the identity token are checked (OpenID Connect Core, 3.1.3.7).
 */

import * as oidc from "openid-client";
import { orcidOf } from "../../../pipeline/reading/identifiers.ts";
import type { Effects } from "../../../pipeline/stage/effects.ts";
import { plainText } from "../../../schemas/public/account/registration.ts";
import { ProblemError } from "../../http/answer.ts";
import { type OneOriginFetch, oneOriginFetch, ServiceAway } from "../../http/guarded-fetch.ts";
import { ConfigurationError } from "../../http/poll.ts";
import type { Checks } from "./pending.ts";
import type { OrcidPerson } from "./sessions.ts";

export interface ProviderOptions {
  /** https, or http on loopback; https://orcid.org unless something else is said. */
  readonly issuer?: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export const ORCID_ISSUER = "https://orcid.org";

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
export function providerProblem(error: unknown, log: Effects["log"]): ProblemError {
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

export function signInFailed(detail: string): ProblemError {
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
