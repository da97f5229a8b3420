/**
 * Lists all settings: name, type, meaning, default, and whether it is a secret. docs/reference/environment.md is generated
 * from this list. environment.ts reads the values.
 */

import { z } from "zod";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { isContact } from "../../schemas/public/text.ts";
import { LOG_LEVELS } from "../terminal/log-line.ts";

export interface Setting {
  readonly commands: readonly string[];
  /**
   * The schema that parses the text of a value. Its description says what is expected, for the documentation and for
   * error messages.
   */
  readonly type: z.ZodType<unknown, string>;
  readonly meaning: string;
  /** The value that applies if the setting is not set, as text for the documentation. */
  readonly fallback: string;
  /**
   * Set for secrets, which are never printed and can come from a file. `text`: the value is the secret itself. `file`:
   * the value is the path of a file with the secret.
   */
  readonly secret?: "text" | "file";
}

function described<T>(expected: string, type: (expected: string) => z.ZodType<T, string>): z.ZodType<T, string> {
  return type(expected).describe(expected);
}

function textThat(expected: string, isValid: (value: string) => boolean): z.ZodType<string, string> {
  return described(expected, (message) => z.string().refine(isValid, message));
}

const filled = (value: string) => value.trim() !== "";
const text = textThat("a text that is not empty", filled);
const path = textThat("a path", filled);
const isHttp = (value: string) => /^https?:\/\/[^\s/]/.test(value) && URL.canParse(value);
const hasProtocol = (protocols: readonly string[]) => (value: string) =>
  protocols.includes(URL.parse(value)?.protocol ?? "");

/** Returns the type of a setting that is a whole number from `least` to `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): z.ZodType<number, string> {
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return described(`a whole number ${bounds}`, (message) =>
    z
      .string()
      .regex(/^\d+$/, message)
      .transform(Number)
      .refine((value) => value >= least && value <= most, message),
  );
}

/** The type of a setting that is a size in the format of DuckDB, such as 512MB. */
export const size = textThat("a size such as 512MB", (value) => /^[1-9]\d*(\.\d+)? ?([KMGT]i?B)$/i.test(value));

const port = wholeNumber(0, 65_535);
const flag = described("true or false", (message) =>
  z.enum(["true", "false"], message).transform((value) => value === "true"),
);

const ACCOUNT_COMMANDS = [
  "serve",
  "account",
  "harvest",
  "run",
  "build",
  "release activate",
  "release publish",
] as const;

/** Commands with the option `--sign`. */
const SIGNING_COMMANDS = [
  "build",
  "run",
  "account hide",
  "key revoke",
  "key sign",
  "release activate",
  "release publish",
  "release retract",
  "release rollback",
] as const;

/** Commands that use the settings of the site. */
const SITE_COMMANDS = ["serve", "release publish"] as const;

/** All settings of the commands. Settings of single sources are in {@link sourceSettings}. */
export const SETTINGS = {
  SHARE_STORE: {
    commands: ["all commands"],
    type: path,
    meaning: "Folder of the store, like `--store`.",
    fallback: "`.share`",
  },
  SHARE_CONTACT: {
    commands: ["harvest", "run", "score", ...SITE_COMMANDS],
    type: textThat(
      "one plain email address, or an https URL without a user name",
      (value) => isContact(value) || isWebAddress(value),
    ),
    meaning:
      "Contact of the operator. Repository services receive an email address in the User-Agent header. The site, `/docs` and `/openapi.json` show the contact to readers.",
    fallback: "no contact",
  },
  SHARE_TITLE: {
    commands: SITE_COMMANDS,
    type: textThat("a name of at most 40 characters", isTitle),
    meaning: "Title of the site: in its header, and in the titles of pages, feeds and preview pictures.",
    fallback: "`SHARE`",
  },
  SHARE_LOGO: {
    commands: SITE_COMMANDS,
    type: path,
    meaning: "File of the logo: PNG or SVG, at most 256 KiB.",
    fallback: "the logo of the program",
  },
  SHARE_COLOUR: {
    commands: SITE_COMMANDS,
    type: textThat("a colour such as #0b5a6e", (value) => /^#[0-9a-f]{6}$/i.test(value)),
    meaning:
      "Colour of links and buttons, with a contrast of 4.5:1 in light or dark mode. The other mode gets the nearest shade with that contrast. Charts keep their colours.",
    fallback: "`#0b5a6e`",
  },
  SHARE_IMPRINT: {
    commands: SITE_COMMANDS,
    type: path,
    meaning:
      "Markdown file of the page `/imprint`, at most 64 KiB. HTML is shown as text; a backslash at the end of a line keeps the line break.",
    fallback: "no imprint",
  },
  SHARE_PRIVACY: {
    commands: SITE_COMMANDS,
    type: path,
    meaning:
      "Markdown file with your own privacy notice, like `SHARE_IMPRINT`. The page `/privacy` shows it before what the program stores.",
    fallback: "only what the program stores",
  },
  SHARE_LOCALE: {
    commands: SITE_COMMANDS,
    type: textThat("a language tag (BCP 47) such as de-AT", isLocale),
    meaning: "Locale of dates and figures. Texts stay English, and pages without scripts keep ISO dates.",
    fallback: "the locale of the browser",
  },
  SHARE_LOG_LEVEL: {
    commands: ["all commands"],
    type: textThat(`one of ${LOG_LEVELS.join(", ")}`, (value) => LOG_LEVELS.includes(value)),
    meaning: "Lowest level that is logged. With `debug`, commands other than `serve` log each step too.",
    fallback: "`info`",
  },
  SHARE_HOST: {
    commands: ["serve"],
    type: text,
    meaning: "Address to listen on, like `--host`.",
    fallback: "`127.0.0.1`",
  },
  SHARE_PORT: { commands: ["serve"], type: port, meaning: "Port to listen on, like `--port`.", fallback: "`8080`" },
  SHARE_METRICS_HOST: {
    commands: ["serve"],
    type: text,
    meaning: "Address of the metrics port, like `--metrics-host`.",
    fallback: "`127.0.0.1`",
  },
  SHARE_METRICS_PORT: {
    commands: ["serve"],
    type: port,
    meaning: "Port for `/metrics`, `/health` and `/ready`, like `--metrics-port`.",
    fallback: "no port",
  },
  SHARE_SITE: {
    commands: ["serve"],
    type: textThat("an http or https URL", isHttp),
    meaning:
      "Public URL of the site, like `--site`. Sign-in links begin with it. All servers of one site need the same value.",
    fallback: "`http://localhost` and the port",
  },
  SHARE_TRUST_PROXY: {
    commands: ["serve"],
    type: textThat("IP addresses or CIDR ranges, separated by commas", filled),
    meaning: "Reverse proxies, like `--trust-proxy`. The server believes their `X-Forwarded-For` header.",
    fallback: "no proxy",
  },
  SHARE_QUERY_MEMORY: {
    commands: ["serve"],
    type: size,
    meaning: "Memory of the query engine, like `--memory`.",
    fallback: "`512MB`",
  },
  DATABASE_URL: {
    commands: ACCOUNT_COMMANDS,
    type: textThat("a URL such as postgresql://user@host:5432/database", hasProtocol(["postgres:", "postgresql:"])),
    meaning:
      "PostgreSQL database of accounts and API keys. The store records which database it uses; the commands then fail if this is not set.",
    fallback: "`accounts.sqlite` in the store",
    secret: "text",
  },
  REDIS_URL: {
    commands: ["serve"],
    type: textThat("a URL such as redis://host:6379", hasProtocol(["redis:", "rediss:"])),
    meaning: "Redis in which several servers count requests together.",
    fallback: "each server counts in its own memory",
    secret: "text",
  },
  SMTP_URL: {
    commands: ["serve"],
    type: textThat("a URL such as smtps://user:password@host:465", hasProtocol(["smtp:", "smtps:"])),
    meaning: "Mail server.",
    fallback: "messages are written to `mail/` in the store",
    secret: "text",
  },
  SHARE_EMAIL_FROM: {
    commands: ["serve"],
    type: text,
    meaning: "Sender of messages, such as `SHARE <share@share.example>`.",
    fallback: "`no-reply` at the host of the site",
  },
  ORCID_CLIENT_ID: {
    commands: ["serve"],
    type: text,
    meaning: "Client ID that ORCID gave you. Set it together with `ORCID_CLIENT_SECRET`.",
    fallback: "no sign-in with ORCID",
  },
  ORCID_CLIENT_SECRET: {
    commands: ["serve"],
    type: text,
    meaning: "Client secret that ORCID gave you.",
    fallback: "no sign-in with ORCID",
    secret: "text",
  },
  ORCID_ISSUER: {
    commands: ["serve"],
    type: textThat("an https URL", hasProtocol(["https:"])),
    meaning: "Another OpenID provider that identifies people by ORCID iD, such as `https://sandbox.orcid.org`.",
    fallback: "`https://orcid.org`",
  },
  SHARE_BUILD_MEMORY: {
    commands: ["build", "run"],
    type: size,
    meaning: "Memory limit of the engine during a build, like `--memory`.",
    fallback: "by the size of the payloads",
  },
  SHARE_BUILD_THREADS: {
    commands: ["build", "run"],
    type: wholeNumber(1),
    meaning: "Number of CPU cores for a build, like `--threads`.",
    fallback: "all cores",
  },
  SHARE_SIGNING_KEY: {
    commands: SIGNING_COMMANDS,
    type: path,
    meaning: "File of the private key that signs releases, retractions and the head, like `--sign`.",
    fallback: "no signature",
    secret: "file",
  },
  SHARE_INTERVAL: {
    commands: ["run"],
    type: textThat("times such as 20h datacite=7d, separated by spaces", filled),
    meaning: "Time between two harvests of a source, like `--interval`.",
    fallback: "`20h`",
  },
  SHARE_ONLY: {
    commands: ["harvest", "run"],
    type: textThat("parts such as client=tib.tib, separated by semicolons", filled),
    meaning:
      "The parts of sources to harvest, like `--only`. Parts of other sources than those of the command do not count.",
    fallback: "all of each source",
  },
  SHARE_PUBLISH_TO: {
    commands: ["run"],
    type: textThat("a folder or s3://bucket/prefix", filled),
    meaning: "Target of the publication before the activation, like `--to`.",
    fallback: "no publication",
  },
  SHARE_PUBLISH_PAGES: {
    commands: ["run"],
    type: flag,
    meaning: "Whether to publish each page as a file too, like `--pages`.",
    fallback: "`false`",
  },
  SHARE_WEBHOOK: {
    commands: ["run"],
    type: textThat("URLs, separated by spaces", filled),
    meaning: "URLs that receive a webhook after an activation, like `--webhook`.",
    fallback: "no webhook",
    secret: "text",
  },
  SHARE_WEBHOOK_SECRET: {
    commands: ["release activate", "run"],
    type: textThat("whsec_ and 24 to 64 bytes in base64", (value) => value.trim().startsWith("whsec_")),
    meaning: "Secret that signs webhooks, like the file of `--webhook-secret`.",
    fallback: "`--webhook` fails without a secret",
    secret: "text",
  },
  SHARE_KEEP_RELEASES: {
    commands: ["release prune"],
    type: wholeNumber(1),
    meaning: "Number of newest releases to keep, like `--keep`.",
    fallback: "`--keep` is required",
  },
  SHARE_API_KEY: {
    commands: ["release fetch"],
    type: text,
    meaning: "API key for the service that you mirror, like `--api-key`. It allows more requests a minute.",
    fallback: "no API key",
    secret: "text",
  },
  SHARE_OAI_HOSTS: {
    commands: ["harvest", "source check"],
    type: textThat("host names, separated by commas", filled),
    meaning: "Hosts that `--oai-url` may name besides the built-in ones.",
    fallback: "the built-in hosts only",
  },
  PYSPARK_PYTHON: {
    commands: ["build", "run"],
    type: path,
    meaning: "Python that has pyspark, for `--engine spark`.",
    fallback: "the Python of `make spark`, or `python3`",
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof SETTINGS;

/** Returns the settings of single sources: their credentials, and the hosts of other installations of their software. */
export function sourceSettings(sources: readonly Source[]): ReadonlyMap<string, Setting> {
  const found = new Map<string, Setting>();
  for (const { name, credential } of sources) {
    if (credential === undefined) continue;
    const { requests, seconds } = credential.rate;
    found.set(credential.variable, {
      commands: [...(found.get(credential.variable)?.commands ?? []), name],
      type: text,
      meaning: `Credential for the service. Allows at most ${requests} requests in ${seconds} s.`,
      fallback: "no credential",
      secret: "text",
    });
  }
  for (const { name, installations } of sources) {
    if (installations !== true) continue;
    found.set(hostsVariable(name), {
      commands: [name],
      type: textThat("host names, separated by commas", filled),
      meaning: "Hosts that `--host` may name besides the built-in ones.",
      fallback: "the built-in hosts only",
    });
  }
  return found;
}

/** Returns the name of the setting that lists the hosts of other installations of a source. */
export function hostsVariable(source: string): string {
  return `SHARE_${source.toUpperCase()}_HOSTS`;
}

/** True for a short line without control characters, which fits into the header of the site and the preview picture. */
function isTitle(value: string): boolean {
  return value.trim() !== "" && [...value].length <= 40 && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value);
}

/** True for a locale in which dates and numbers can be formatted. */
function isLocale(value: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(value).length === 1;
  } catch {
    return false;
  }
}

function isWebAddress(value: string): boolean {
  if (!/^https:\/\/[^\s\\/]\S*$/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}
