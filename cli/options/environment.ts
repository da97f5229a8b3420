/** The environment variables that the commands read. docs/reference/environment.md is generated from this list. */

import { isContact } from "../../pipeline/1-harvest/identification.ts";
import { UsageError } from "./exit-codes.ts";

export interface Variable {
  readonly commands: readonly string[];
  readonly meaning: string;
  /** The value if the variable is not set, as text for the documentation. */
  readonly fallback: string;
}

const ACCOUNT_COMMANDS = [
  "serve",
  "account",
  "harvest",
  "run",
  "build",
  "release activate",
  "release publish",
] as const;

/** Variables of the commands. Each source names the variable of its own credential. */
export const VARIABLES = {
  SHARE_STORE: {
    commands: ["all commands"],
    meaning: "Folder of the store, like `--store`.",
    fallback: "`.share` in the current folder",
  },
  SHARE_CONTACT: {
    commands: ["harvest", "run", "score", "serve"],
    meaning:
      "Contact of the operator: one email address, or one https URL without a user name. Repository services receive an email address in the User-Agent header. The site, `/docs` and `/openapi.json` show the contact to readers.",
    fallback: "no contact",
  },
  SHARE_LOG_LEVEL: {
    commands: ["serve"],
    meaning:
      "Lowest level that the server logs: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. With `debug`, the other commands log each step too.",
    fallback: "`info`",
  },
  SHARE_SITE: {
    commands: ["serve"],
    meaning:
      "Public URL of the site, like `--site`. Sign-in links begin with it. All servers of one site need the same value.",
    fallback: "`http://localhost` and the port",
  },
  SHARE_TRUST_PROXY: {
    commands: ["serve"],
    meaning:
      "Addresses or CIDR ranges of reverse proxies, separated by commas, like `--trust-proxy`. The server believes their `X-Forwarded-For` header.",
    fallback: "no proxy",
  },
  DATABASE_URL: {
    commands: ACCOUNT_COMMANDS,
    meaning:
      "PostgreSQL database of accounts and API keys. The store records which database it uses; the commands then fail if the variable is not set. Contains a secret.",
    fallback: "`accounts.sqlite` in the store",
  },
  REDIS_URL: {
    commands: ["serve"],
    meaning: "Redis in which several servers count requests together. Contains a secret.",
    fallback: "each server counts in its own memory",
  },
  SMTP_URL: {
    commands: ["serve"],
    meaning: "Mail server, such as `smtps://user:password@host:465`. Contains a secret.",
    fallback: "messages are written to `mail/` in the store",
  },
  SHARE_EMAIL_FROM: {
    commands: ["serve"],
    meaning: "Sender of messages, such as `SHARE <share@share.example>`.",
    fallback: "`no-reply` at the host of the site",
  },
  ORCID_CLIENT_ID: {
    commands: ["serve"],
    meaning: "Client ID that ORCID gave you. Set it together with `ORCID_CLIENT_SECRET`.",
    fallback: "no sign-in with ORCID",
  },
  ORCID_CLIENT_SECRET: {
    commands: ["serve"],
    meaning: "Client secret that ORCID gave you. Contains a secret.",
    fallback: "no sign-in with ORCID",
  },
  ORCID_ISSUER: {
    commands: ["serve"],
    meaning: "Another OpenID provider that identifies people by ORCID iD, such as `https://sandbox.orcid.org`.",
    fallback: "`https://orcid.org`",
  },
  SHARE_SIGNING_KEY: {
    commands: ["build", "run", "release retract", "account hide"],
    meaning: "File of the private key that signs releases, like `--sign`.",
    fallback: "no signature",
  },
  SHARE_WEBHOOK_SECRET: {
    commands: ["release activate", "run"],
    meaning:
      "Secret that signs webhooks: `whsec_` and 24 to 64 bytes in base64. `--webhook-secret` names a file instead.",
    fallback: "`--webhook` fails without a secret",
  },
  SHARE_API_KEY: {
    commands: ["release fetch"],
    meaning: "API key for the service that you mirror, like `--api-key`. It allows more requests a minute.",
    fallback: "no API key",
  },
  SHARE_OAI_HOSTS: {
    commands: ["harvest", "source check"],
    meaning: "Hosts that `--oai-url` may name besides the built-in ones, separated by commas.",
    fallback: "the built-in hosts only",
  },
  PYSPARK_PYTHON: {
    commands: ["build", "run"],
    meaning: "Python that has pyspark, for `--engine spark`.",
    fallback: "the Python of `make spark`, or `python3`",
  },
} as const satisfies Readonly<Record<string, Variable>>;

export type VariableName = keyof typeof VARIABLES;

export type Environment = { readonly [Name in VariableName]?: string | undefined };

export const environment: Environment = process.env;

/** Returns the operator's contact for readers, an email address or an https URL; null if unset. */
export function contactOf(): string | null {
  const contact = requireValue("SHARE_CONTACT");
  if (contact === null || isContact(contact) || isWebAddress(contact)) return contact;
  throw new UsageError(
    "SHARE_CONTACT must be one plain email address, such as you@example.org, or an https URL without a user name",
  );
}

/** Returns the contact in the User-Agent header for services; null if it is unset or a URL. */
export function emailOf(): string | null {
  const contact = contactOf();
  return contact !== null && isContact(contact) ? contact : null;
}

function isWebAddress(text: string): boolean {
  if (!/^https:\/\/[^\s\\/]\S*$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/**
 * Returns the value of a variable, or of a source's own credential; null if unset.
 * @throws UsageError if the value is empty
 */
export function requireValue(variable: string): string | null {
  const value = process.env[variable];
  if (value?.trim() === "") throw new UsageError(`${variable} is empty: give it a value, or unset it`);
  return value ?? null;
}

/** Returns the name of the variable with the hosts of a source that has several installations. */
export function hostsVariable(source: string): string {
  return `SHARE_${source.toUpperCase()}_HOSTS`;
}

export function hostsIn(variable: string): string[] {
  return (process.env[variable] ?? "").split(",").flatMap((each) => each.trim() || []);
}
