/**
 * The identity provider: ORCID, or another that speaks OpenID Connect and names people by their iD. Code flow with PKCE
 * (RFC 7636); issuer, audience, expiry, nonce and signature of the identity token are checked (OpenID Connect Core, 3.1.3.7).
 */

import * as oidc from "openid-client";
import { orcidOf } from "../../../pipeline/reading/identifiers.ts";
import { plainText } from "../../../schemas/public/account/plain-text.ts";
import { type OneOriginFetch, oneOriginFetch, ServiceAway } from "../../outbound/one-origin-fetch.ts";
import { ConfigurationError } from "../../running/configuration-error.ts";
import type { Checks } from "./pending.ts";
import { signInFailed } from "./provider-failure.ts";
import type { OrcidPerson } from "./users.ts";

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
   * @throws oidc and outbound errors, which provider-failure.ts reads
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
