/**
 * Reads the values of settings from four places: the environment, files of secrets, credentials of systemd, and the
 * file in SHARE_CONFIG. If a setting is in several places, the first in this order applies.
 */

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { nearest } from "../../pipeline/reading/identifiers.ts";
import { isContact } from "../../schemas/public/text.ts";
import { CommandFailed, UsageError } from "./exit-codes.ts";
import { SETTINGS, type Setting, type SettingName, sourceSettings } from "./settings.ts";

export type Environment = { readonly [Name in SettingName]?: string | undefined };

interface Loaded {
  readonly value: string;
  /** Describes where the value comes from, for `doctor`. */
  readonly origin: string;
  /** The file that contains the value. Null for a credential of systemd, whose permissions need no check. */
  readonly file: string | null;
}

/** Values from files and credentials. {@link loadSettings} reads them when the program starts. */
let loaded: ReadonlyMap<string, Loaded> = new Map();

/** Returns the value of a setting as text; undefined if it is not set. */
export function setting(name: SettingName): string | undefined {
  return valueFor(name);
}

/** Returns the value of a setting that is true or false. */
export function readFlag(name: "SHARE_PUBLISH_PAGES"): boolean {
  const value = valueFor(name) || "false";
  if (value === "true" || value === "false") return value === "true";
  throw new UsageError(`${name} is "${value}"; expected ${SETTINGS[name].type.description}. Correct or unset it.`);
}

/** Returns the value of a setting from a file or credential; undefined if it comes from the environment or is not set. */
export function loadedValue(name: string): string | undefined {
  return loaded.get(name)?.value;
}

function valueFor(name: string): string | undefined {
  return process.env[name] ?? loadedValue(name);
}

/** Returns the settings for signing in. */
export function signInEnvironment(): Environment {
  const names = ["SMTP_URL", "SHARE_EMAIL_FROM", "ORCID_CLIENT_ID", "ORCID_CLIENT_SECRET", "ORCID_ISSUER"] as const;
  return Object.fromEntries(names.map((name) => [name, setting(name)]));
}

/** Returns all settings by name. Loads the code of the sources, because each source can have its own settings. */
async function allSettings(): Promise<ReadonlyMap<string, Setting>> {
  const { SOURCES } = await import("../../pipeline/sources/index.ts");
  return new Map<string, Setting>([...Object.entries(SETTINGS), ...sourceSettings(SOURCES)]);
}

/**
 * Reads the values that are in files.
 * @throws UsageError with file, setting, what was expected, and what to do. The message never contains a secret.
 */
export async function loadSettings(): Promise<void> {
  loaded = new Map();
  const { SHARE_CONFIG: configuration, CREDENTIALS_DIRECTORY: credentials } = process.env;
  const isUsed = configuration || credentials || Object.keys(process.env).some((name) => name.endsWith("_FILE"));
  if (!isUsed) return;
  const settings = await allSettings();
  const inFile = configuration ? await readConfiguration(configuration, settings) : {};
  const found = new Map<string, Loaded>();
  for (const [name, entry] of settings) {
    const value =
      (await secretIn(name, entry, process.env, "the environment")) ??
      findCredential(name, entry, credentials) ??
      (await secretIn(name, entry, inFile, configuration ?? "")) ??
      (inFile[name] === undefined
        ? null
        : { value: inFile[name], origin: `file ${configuration}`, file: configuration ?? null });
    if (value !== null) found.set(name, "path" in value ? await loadSecretFile(name, entry, value) : value);
  }
  loaded = found;
}

type Layer = Readonly<Record<string, string | undefined>>;

interface SecretFile {
  readonly path: string;
  readonly origin: string;
}

/**
 * Returns the path of the file that contains a secret. The path is the value of `<name>_FILE`; null if that is not set.
 */
async function secretIn(name: string, { secret }: Setting, layer: Layer, where: string): Promise<SecretFile | null> {
  const path = layer[`${name}_FILE`];
  if (secret !== "text" || path === undefined || path === "") return null;
  if (layer[name]) throw new UsageError(`${where} sets both ${name} and ${name}_FILE; remove one of them`);
  return { path, origin: `file ${path}` };
}

/** Returns the file in which systemd placed a secret for this service (LoadCredential=); null if there is none. */
function findCredential(name: string, { secret }: Setting, folder: string | undefined): SecretFile | Loaded | null {
  if (secret === undefined || !folder) return null;
  const path = join(folder, name);
  if (!existsSync(path)) return null;
  return secret === "file" ? { value: path, origin: "credential", file: null } : { path, origin: "credential" };
}

async function loadSecretFile(name: string, { type }: Setting, { path, origin }: SecretFile): Promise<Loaded> {
  const value = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CommandFailed(
      `the file ${path} with ${name} cannot be read (${getReason(cause)}); correct its path or its permissions`,
    );
  });
  const trimmed = value.trim();
  const file = origin === "credential" ? null : path;
  if (type.safeParse(trimmed).success) return { value: trimmed, origin, file };
  throw new UsageError(`${path}: invalid ${name}; expected ${type.description}. Correct the file.`);
}

/** Returns the values in a configuration file (TOML or JSON) by the names of their settings. */
async function readConfiguration(path: string, settings: ReadonlyMap<string, Setting>): Promise<Layer> {
  const content = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CommandFailed(
      `the file ${path} in SHARE_CONFIG cannot be read (${getReason(cause)}); correct its path or its permissions`,
    );
  });
  const parsed = z.record(z.string(), z.unknown()).safeParse(await parsedFile(path, content));
  if (!parsed.success)
    throw new UsageError(`${path}: expected one object with settings, such as {"SHARE_STORE": "/srv/share"}`);
  const names = [...settings].flatMap(([name, { secret }]) => (secret === "text" ? [name, `${name}_FILE`] : [name]));
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, value]) => {
      if (!names.includes(name)) {
        const meant = nearest(name, names);
        throw new UsageError(
          `${path}: "${name}" is not a setting; did you mean ${meant}? \`share-release doctor\` without SHARE_CONFIG lists all settings.`,
        );
      }
      const { type, secret } = settings.get(name) ?? { type: z.string().describe("a path"), secret: undefined };
      const given = ["string", "number", "boolean"].includes(typeof value) ? String(value) : null;
      if (given !== null && type.safeParse(given).success) return [name, given];
      const shown = secret === "text" ? "invalid" : withoutCredentials(JSON.stringify(value));
      throw new UsageError(`${path}: ${name} is ${shown}; expected ${type.description}. Correct the file.`);
    }),
  );
}

/**
 * Returns the path of the store from the environment or the settings file, even if other settings are invalid. Returns null
 * if it is not set.
 */
export async function configuredStore(): Promise<string | null> {
  const { SHARE_STORE: store, SHARE_CONFIG: configuration } = process.env;
  if (store || !configuration) return store || null;
  try {
    const parsed = await parsedFile(configuration, await readFile(configuration, "utf8"));
    return z.object({ SHARE_STORE: SETTINGS.SHARE_STORE.type }).parse(parsed).SHARE_STORE;
  } catch {
    return null;
  }
}

/** Parses the configuration file. Error messages do not repeat its text, which can contain secrets. */
async function parsedFile(path: string, content: string): Promise<unknown> {
  if (path.endsWith(".json")) {
    try {
      return JSON.parse(content);
    } catch {
      throw new UsageError(`the settings file ${path} is not valid JSON; correct the file`);
    }
  }
  if (!path.endsWith(".toml")) throw new UsageError(`SHARE_CONFIG ${path}: the name must end with .toml or .json`);
  const { parse: parseToml, TomlError } = await import("smol-toml");
  try {
    return parseToml(content);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UsageError(`the settings file ${path} is not valid TOML in line ${error.line}; correct the file`);
  }
}

/**
 * A setting with its present value and the place where it was set. If the value is invalid, `problem` says what was
 * expected.
 */
export interface EffectiveSetting {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
  readonly problem: string | null;
}

/** Returns all settings in the order of the documentation. The values of secrets are left out. */
export async function effectiveSettings(): Promise<EffectiveSetting[]> {
  return [...(await allSettings())].map(([name, { type, fallback, secret }]) => {
    const value = valueFor(name);
    if (value === undefined) return { name, value: fallback.replaceAll("`", ""), origin: "default", problem: null };
    const origin = process.env[name] === undefined ? (loaded.get(name)?.origin ?? "") : "environment";
    const isValid = value === "" || type.safeParse(value).success;
    return {
      name,
      value: secret === "text" ? "(secret)" : withoutCredentials(value),
      origin,
      problem: isValid ? null : `expected ${type.description}; correct or unset it`,
    };
  });
}

/**
 * Replaces the user name and password in a URL by `(secret)`. Applied to every value, because any setting could contain
 * such a URL.
 */
function withoutCredentials(text: string): string {
  const [start, end] = [text.indexOf("//"), text.lastIndexOf("@")];
  return start === -1 || end < start ? text : `${text.slice(0, start)}//(secret)${text.slice(end)}`;
}

/** Returns the files with secrets that every user of this machine can read. The program warns about them. */
export async function exposedSecrets(): Promise<string[]> {
  const exposed = new Set<string>();
  for (const [name, { secret }] of await allSettings()) {
    const file = loaded.get(name)?.file ?? null;
    if (secret === "text" && file !== null && ((await stat(file)).mode & 0o004) !== 0) exposed.add(file);
  }
  return [...exposed];
}

/**
 * Returns the environment variables that look like settings but are not, each with the setting that was probably meant.
 */
export async function unknownVariables(): Promise<{ name: string; meant: string | null }[]> {
  const names = [...(await allSettings()).keys()];
  const known = new Set(["SHARE_CONFIG", ...names, ...names.map((name) => `${name}_FILE`)]);
  return Object.keys(process.env)
    .filter((name) => name.startsWith("SHARE_") && !known.has(name))
    .sort()
    .map((name) => ({ name, meant: nearest(name, names) }));
}

/** Returns the contact of the operator for readers of the site, an email address or https URL; null if it is not set. */
export function readContact(): string | null {
  const contact = requireValue("SHARE_CONTACT");
  if (contact === null || SETTINGS.SHARE_CONTACT.type.safeParse(contact).success) return contact;
  throw new UsageError(
    "SHARE_CONTACT must be one plain email address, such as you@example.org, or an https URL without a user name",
  );
}

/**
 * Returns the email address to send to services in the header User-Agent. Returns null if the contact is a URL or not set.
 */
export function readEmail(): string | null {
  const contact = readContact();
  return contact !== null && isContact(contact) ? contact : null;
}

/**
 * Returns the value of a setting, or of the credential of a source. Returns null if it is not set.
 * @throws UsageError if the value is empty
 */
export function requireValue(variable: string): string | null {
  const value = valueFor(variable);
  if (value?.trim() === "") throw new UsageError(`${variable} is empty: give it a value, or unset it`);
  return value ?? null;
}

export function hostsIn(variable: string): string[] {
  return (valueFor(variable) ?? "").split(",").flatMap((each) => each.trim() || []);
}

function getReason(cause: unknown): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : cause;
}
