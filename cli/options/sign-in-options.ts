/** The ways of signing in, as the command line and the environment say them. */

import type { SignInOptions } from "../../server/accounts/sign-in/index.ts";
import { UsageError } from "./exit-codes.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The options of `serve` for signing in; secrets are named in messages, never repeated. */
export function signInOptions(
  site: string | undefined,
  environment: Environment,
): { site?: URL; signIn: SignInOptions } {
  const { SMTP_URL: smtpUrl, SHARE_MAIL_FROM: mailFrom } = environment;
  return {
    ...(site === undefined || site === "" ? {} : { site: siteOf(site) }),
    signIn: {
      ...(smtpUrl ? { smtpUrl } : {}),
      ...(mailFrom ? { mailFrom } : {}),
      ...providerOf(environment),
    },
  };
}

function siteOf(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new UsageError("--site: give the site's own address, such as https://share.example");
}

function providerOf({
  ORCID_CLIENT_ID: clientId,
  ORCID_CLIENT_SECRET: clientSecret,
  ORCID_ISSUER: issuer,
}: Environment) {
  if (!clientId && !clientSecret) return {};
  if (!clientId || !clientSecret)
    throw new UsageError("ORCID_CLIENT_ID and ORCID_CLIENT_SECRET belong together: set both, or neither");
  return { orcid: { clientId, clientSecret, ...(issuer ? { issuer } : {}) } };
}
