/**
 * share-release init: writes a folder with files that make and update a site for one repository, institution or community.
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Command } from "commander";
import { partName, selectionText } from "../../pipeline/sources/adapter/selection.ts";
import type { SourcePart } from "../../pipeline/sources/adapter/source.ts";
import { SOURCES } from "../../pipeline/sources/index.ts";
import { CommandFailed, UsageError } from "../options/exit-codes.ts";
import { partsNamed, selectorsHelp } from "../options/only.ts";
import { SETTINGS, type SettingName } from "../options/settings.ts";
import { command, httpUrl, printResult, type SharedOptions, siteUrl } from "../options/shared.ts";

interface InitOptions extends SharedOptions {
  readonly only?: readonly string[];
  readonly title?: string;
  readonly contact?: string;
  readonly url?: string;
  readonly program?: string;
  readonly programVersion?: string;
}

/** Folder of templates. In them, `{{name}}` stands for a value. */
const FILES = new URL("../init/", import.meta.url);

/** For each template, the path of its file in the new folder. */
const PLACES: Readonly<Record<string, string>> = {
  "README.md": "README.md",
  "settings.toml": "settings.toml",
  "nightly.sh": "nightly.sh",
  "hidden.txt": "hidden.txt",
  gitignore: ".gitignore",
  "github.yml": ".github/workflows/share.yml",
  "gitlab.yml": ".gitlab-ci.yml",
};

export function initCommand(): Command {
  return command("init", "Write a folder that makes the site of a part of a source, and updates it each night", [
    "init scores --only client=tib.tib --title 'TIB scores' --contact scores@example.org --url https://example.github.io/scores/",
    "init scores",
  ])
    .argument("<dir>", "New or empty folder")
    .option("--only <parts...>", "Parts of sources, such as client=tib.tib")
    .option("--title <title>", "Title of the site")
    .option("--contact <contact>", "Email address or https URL that services and readers see")
    .option("--url <url>", "Public URL of the site")
    .option("--program <url>", "Git repository of the program (default: that of this copy)")
    .option("--program-version <commit>", "Commit or tag of the program (default: that of this copy)")
    .addHelpText("after", "\nThe command asks for what is missing if it runs in a terminal.")
    .addHelpText("after", selectorsHelp)
    .action(async (folder: string, options: InitOptions) => {
      await requireEmpty(folder);
      const files = await writeFiles(await collectAnswers(options));
      for (const [path, text] of files) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text, { flag: "wx" });
      }
      const summary = { folder: resolve(folder), files: [...files.keys()] };
      printResult(options, summary, () =>
        [...summary.files.map((path) => `wrote ${join(folder, path)}`), "", NEXT(folder)].join("\n"),
      );
    });
}

const NEXT = (folder: string) =>
  `Make the site on this computer with \`sh ${join(folder, "nightly.sh")}\`, or push the folder to GitHub or GitLab: ${join(folder, "README.md")} explains both.`;

async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new CommandFailed(`${folder} cannot be read as a folder. Choose another one.`, { cause: error });
  });
  const [first] = names.filter((name) => name !== ".git");
  if (first !== undefined)
    throw new CommandFailed(`${folder} is not empty: it contains ${first}. Choose a new folder.`);
}

interface Answers {
  readonly parts: readonly SourcePart[];
  readonly title: string;
  readonly contact: string;
  readonly url: URL;
  readonly program: URL;
  readonly version: string;
}

/**
 * Returns the values from the options. Asks the user for those that are missing.
 * @throws UsageError for a missing or invalid value
 */
async function collectAnswers(options: InitOptions): Promise<Answers> {
  const { only, title, contact, url } = await withAnswers(options);
  const parts = partsNamed(only, SOURCES);
  const program = options.program === undefined ? await readOwnProgram() : httpUrl("--program", options.program);
  const version = options.programVersion ?? (await readOwnVersion());
  if (!/^\w[\w./-]{0,99}$/.test(version))
    throw new UsageError("--program-version must be a commit, or a tag such as v0.1.0");
  return {
    parts,
    title: valid("SHARE_TITLE", "--title", title),
    contact: valid("SHARE_CONTACT", "--contact", contact),
    url: siteUrl("--url", url),
    program,
    version,
  };
}

/** Checks a value by the rules of the setting that will contain it. */
function valid(setting: SettingName, option: string, value: string): string {
  const { error } = SETTINGS[setting].type.safeParse(value);
  if (error !== undefined) throw new UsageError(`${option}: expected ${error.issues[0]?.message}`);
  return value;
}

const QUESTIONS = {
  only: "Which part of a source? For example client=tib.tib; `share-release init --help` lists the kinds: ",
  title: "Title of the site: ",
  contact: "Email address or https URL that services and readers see: ",
  url: "Public URL of the site, such as https://example.github.io/scores/: ",
} as const;

type InitAnswers = Readonly<Record<"title" | "contact" | "url", string>> & { readonly only: readonly string[] };

/**
 * Asks the user for the values that the options do not contain.
 * @throws UsageError if values are missing and the command does not run on a terminal
 */
async function withAnswers(options: InitOptions): Promise<InitAnswers> {
  const missing = (Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]).filter((name) => options[name] === undefined);
  const given = new Map<string, string>();
  if (missing.length > 0) {
    if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
      throw new UsageError(
        `give ${missing.map((name) => `--${name}`).join(", ")}, because there is no terminal on which to ask for them`,
      );
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const lines = terminal[Symbol.asyncIterator]();
    for (const name of missing) {
      terminal.setPrompt(QUESTIONS[name]);
      terminal.prompt();
      const { value = "" } = await lines.next();
      given.set(name, value.trim());
    }
    terminal.close();
  }
  const getText = (name: "title" | "contact" | "url") => options[name] ?? given.get(name) ?? "";
  const only = options.only ?? (given.get("only") ?? "").split(/[;\s]+/).filter(Boolean);
  if (only.length === 0) throw new UsageError("--only needs a part of a source, such as client=tib.tib");
  return { only, title: getText("title"), contact: getText("contact"), url: getText("url") };
}

/**
 * Returns the URL from which this copy of the program was cloned.
 * @throws UsageError if there is none, or if others cannot clone from it
 */
async function readOwnProgram(): Promise<URL> {
  const remote = await askOwnGit("config", "remote.origin.url");
  if (remote === null) throw unknownDefault("--program", "has no Git remote named origin");
  const url = URL.parse(remote);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url;
  // The output must not contain a password.
  const shown = remote.replace(/\/\/[^/]*@/, "//");
  throw unknownDefault(
    "--program",
    `has the Git remote ${shown}, which is not an http or https URL without credentials`,
  );
}

async function readOwnVersion(): Promise<string> {
  const commit = await askOwnGit("rev-parse", "HEAD");
  if (commit === null) throw unknownDefault("--program-version", "does not come from a Git repository");
  return commit;
}

function unknownDefault(option: string, why: string): UsageError {
  return new UsageError(`give ${option}: its default is not known, because this copy of the program ${why}`);
}

/** Runs a Git command in the checkout that this program runs from. Returns its output; null if there is none. */
async function askOwnGit(...question: readonly string[]): Promise<string | null> {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  // Checked first, because Git would also search the folders above.
  const answer = existsSync(join(root, ".git"))
    ? await promisify(execFile)("git", ["-C", root, ...question]).catch(() => null)
    : null;
  return answer?.stdout.trim() || null;
}

/** Returns the texts of the files to write, by path. */
async function writeFiles(answers: Answers): Promise<ReadonlyMap<string, string>> {
  const { parts, title, contact, url, program, version } = answers;
  const names = parts.map(({ source, only }) =>
    only === null ? source.name : `${source.name}:${selectionText(only)}`,
  );
  const all = parts.map(partName).join(", ");
  const valuesByName: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "README.md": { heading: plain(title), only: `\`${all}\``, url: url.href },
    "settings.toml": { only: toml(names.join("; ")), contact: toml(contact), title: toml(title) },
    "nightly.sh": { repository: shell(program.href), version: shell(version), url: shell(url.href) },
  };
  const texts = Object.entries(PLACES).map(async ([name, path]) => {
    const text = await readFile(new URL(name, FILES), "utf8");
    const values = valuesByName[name] ?? {};
    return [path, text.replace(/\{\{(\w+)\}\}/g, (mark, key: string) => values[key] ?? mark)] as const;
  });
  return new Map(await Promise.all(texts));
}

/** Returns a text as a TOML string. JSON strings are valid in TOML. */
function toml(text: string): string {
  return JSON.stringify(text);
}

function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a title without characters that have a meaning in Markdown. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>#]/g, "\\$&");
}
