/** share-release account: lists and decides requests of users, hides researchers, and manages API keys. */

import { userInfo } from "node:os";
import { Argument, type Command, Option } from "commander";
import { replaceFile } from "../../pipeline/files/durable.ts";
import { plural } from "../../pipeline/reading/text.ts";
import { plainText } from "../../schemas/public/text.ts";
import { type AuditEvent, auditEvents } from "../../server/accounts/audit.ts";
import { type AccountCounts, type Accounts, accountCounts } from "../../server/accounts/database.ts";
import {
  MODERATION_STATES,
  type ModerationState,
  USUAL_VERDICTS,
  type Verdict,
} from "../../server/accounts/moderated.ts";
import {
  type DecisionResult,
  decide,
  findKind,
  hiddenResearchers,
  listSubjects,
  MODERATED,
  showSubject,
  unhide,
} from "../../server/accounts/moderation.ts";
import { withAccounts } from "../options/accounts.ts";
import { UsageError } from "../options/exit-codes.ts";
import { command, countArgument, group, openChosenStore, printResult, type SharedOptions } from "../options/shared.ts";
import { eventText, queueText, readPublishedSubject, subjectText } from "../terminal/account-text.ts";
import { paint, printLines, printPainted } from "../terminal/text.ts";
import { apiKeysCommand } from "./account-api-keys.ts";
import { hideCommand } from "./account-hide.ts";

export function accountCommand(): Command {
  return group("account", "Decide requests of users, hide researchers, and manage API keys", [
    listCommand(),
    decideCommand(),
    hideCommand(),
    unhideCommand(),
    logCommand(),
    apiKeysCommand(),
  ]);
}

interface ListOptions extends SharedOptions {
  readonly kind?: string;
  readonly state: ModerationState | "all";
  readonly limit: number;
  readonly hidden?: true;
  readonly out?: string;
  readonly count?: true;
}

function listCommand(): Command {
  return command("list", "List requests that wait for a decision, oldest first", [
    "account list",
    "account list --kind visibility",
    "account list --state all --json",
    "account list --hidden --out withheld.txt",
    "account list --count",
  ])
    .addOption(new Option("--kind <kind>", "Only requests of this kind").choices(MODERATED.map(({ plural }) => plural)))
    .addOption(
      new Option(
        "--state <state>",
        "Only requests in this state; a pending submission is queued, an approved one is accepted",
      )
        .choices([...MODERATION_STATES, "all"])
        .default("pending"),
    )
    .option("--limit <n>", "List at most this many", countArgument(1, 100_000), 100)
    .option("--hidden", "List the ids of hidden researchers instead, for `build --exclude-researchers`")
    .option("--out <file>", "With --hidden: write them to a file instead of standard output")
    .option("--count", "Show counts of the account store instead")
    .action(async (options: ListOptions) => {
      if (options.out !== undefined && options.hidden !== true)
        throw new UsageError("--out is the file for the list of --hidden: add --hidden, or leave out --out");
      if (options.hidden && options.count)
        throw new UsageError("--hidden and --count exclude each other: give one of them");
      if (options.hidden) return listHidden(options);
      if (options.count) return printCounts(options);
      const query = {
        kind: MODERATED.find(({ plural }) => plural === options.kind)?.kind ?? null,
        state: options.state === "all" ? null : options.state,
        limit: options.limit,
      };
      const { subjects, total } = await withAccounts(options, ({ db }) => listSubjects(db, query));
      if (!options.json) {
        const empty = options.state === "pending" ? "no request waits for a decision" : "no requests";
        return printPainted(queueText(subjects, total, empty, paint));
      }
      for (const subject of subjects) printLines(JSON.stringify(subject));
      printLines(JSON.stringify({ listed: subjects.length, total }));
    });
}

async function listHidden(options: ListOptions): Promise<void> {
  const hidden = await withAccounts(options, ({ db }) => hiddenResearchers(db));
  const text = [
    "# Researchers who opted out, for share-release build --exclude-researchers",
    ...hidden.map(({ id }) => id),
  ];
  if (options.out !== undefined) {
    // The list is personal data: only its owner may read it.
    await replaceFile(options.out, `${text.join("\n")}\n`, 0o600);
    const summary = { file: options.out, researchers: hidden.length };
    return printResult(options, summary, ({ file }) => `wrote ${file}: ${plural(hidden.length, "researcher")}`);
  }
  const summary = { researchers: hidden.length };
  const lines = options.json ? [...hidden.map(({ id, since }) => ({ id, since })), summary].map(asJson) : text;
  printLines(lines.join("\n"));
}

async function printCounts(options: SharedOptions): Promise<void> {
  const counts = await withAccounts(options, async ({ db, kind }) => ({
    kind,
    ...(await accountCounts(db, new Date())),
  }));
  printResult(options, counts, countsText);
}

const COUNT_LABELS: readonly (readonly [Exclude<keyof AccountCounts, "migration">, string])[] = [
  ["people", "people"],
  ["sessions", "sessions"],
  ["apiKeys", "API keys"],
  ["claimsPending", "claims pending"],
  ["claimsApproved", "claims approved"],
  ["visibilityPending", "visibility requests pending"],
  ["hiddenResearchers", "hidden researchers"],
  ["reportsPending", "problem reports"],
  ["submissionsQueued", "submissions queued"],
  ["submissionsWaiting", "submissions accepted, not yet harvested"],
  ["measurements", "saved checks"],
];

function countsText({ kind, migration, ...counts }: AccountCounts & { readonly kind: string }): string {
  const lines = COUNT_LABELS.map(([name, words]) => `${String(counts[name]).padStart(9)}  ${words}`);
  return [...lines, `in ${kind === "sqlite" ? "SQLite" : "PostgreSQL"}, migration ${migration}`].join("\n");
}

const VERDICTS = { approve: "approved", reject: "rejected", close: "approved" } as const satisfies Record<
  Verdict,
  string
>;

interface DecideOptions extends SharedOptions {
  readonly reason?: string;
  readonly by: string;
}

function decideCommand(): Command {
  return command("decide", "Approve, reject or close a request permanently, or show it if there is no verdict", [
    "account decide c51f0be7a9d3c2468e07b1f92",
    "account decide c51f0be7a9d3c2468e07b1f92 approve --by ada",
    "account decide p7c20d9e41b6f3a85d01e9c47 close",
    'account decide v7c20d9e41b6f3a85d01e9c47 reject --reason "We could not reach you." --by ada',
  ])
    .argument("<id>", "Id of the request, from `account list`")
    .addArgument(new Argument("[verdict]", "Decision").choices(Object.keys(VERDICTS)))
    .option("--reason <text>", "Reason for the applicant and the log, without names or addresses; required to reject")
    .addOption(moderatorOption())
    .action(async (id: string, verdict: keyof typeof VERDICTS | undefined, options: DecideOptions) => {
      const { verdicts = USUAL_VERDICTS } = requireKind(id);
      if (verdict === undefined) return show(id, options);
      if (!verdicts.includes(verdict))
        throw new UsageError(`the request ${id} cannot be decided with ${verdict}; use ${verdicts.join(" or ")}`);
      if (verdict === "reject" && options.reason === undefined)
        throw new UsageError("to reject a request, give the reason with --reason <text>");
      const by = lineOfText("--by", options.by, 100);
      const reason = options.reason === undefined ? null : lineOfText("--reason", options.reason, 500);
      const decided = await withAccounts(options, (accounts) =>
        decide(accounts, { id, verdict: VERDICTS[verdict], reason, by, now: new Date() }),
      );
      printResult(options, decided, decidedText);
    });
}

async function show(id: string, options: DecideOptions): Promise<void> {
  if (options.reason !== undefined) throw new UsageError("--reason requires a verdict after the id: approve or reject");
  const subject = await withAccounts(options, ({ db }) => showSubject(db, id));
  const published = await readPublishedSubject(subject, openChosenStore(options));
  printResult(options, { ...subject, published }, () => subjectText(subject, published, paint), printPainted);
}

function decidedText({ id, kind, state, by }: DecisionResult): string {
  const word = kind === "visibility" ? "request" : kind;
  return `${state} ${word} ${id}, by ${by}`;
}

interface UnhideOptions extends SharedOptions {
  readonly reason: string;
  readonly by: string;
}

function unhideCommand(): Command {
  return command("unhide", "Show a hidden researcher again, if the account that could request it is gone", [
    'account unhide a030cdc907e27848db600444a --reason "Asked by letter." --by ada',
  ])
    .argument("<id>", "Id of the researcher, from `account list --hidden`")
    .requiredOption("--reason <text>", "Reason for the log, without names or addresses")
    .addOption(moderatorOption())
    .action(async (researcherId: string, options: UnhideOptions) => {
      const [by, reason] = [lineOfText("--by", options.by, 100), lineOfText("--reason", options.reason, 500)];
      const researcher = await withAccounts(options, (accounts) =>
        unhide(accounts, { researcherId, reason, by, now: new Date() }),
      );
      printResult(options, researcher, ({ id }) => `researcher ${id} is visible again, by ${by}`);
    });
}

function logCommand(): Command {
  return command("log", "Show all decisions, oldest first", ["account log", "account log --json"]).action(
    async (options: SharedOptions) => {
      const events = await withAccounts(options, (accounts) => printLog(accounts, options.json ? asJson : eventText));
      if (options.json) printLines(asJson({ events }));
      else if (events === 0) printLines("no decisions yet");
    },
  );
}

async function printLog({ db }: Accounts, line: (event: AuditEvent) => string): Promise<number> {
  let events = 0;
  for await (const event of auditEvents(db)) {
    printLines(line(event));
    events += 1;
  }
  return events;
}

function asJson(value: object): string {
  return JSON.stringify(value);
}

/** The letters with which ids of requests begin, as text such as "c, v or d". */
const LETTERS = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(MODERATED.map(({ letter }) => letter));

function requireKind(id: string) {
  const kind = findKind(id);
  if (kind !== null) return kind;
  throw new UsageError(
    `the id of the request is not valid: expected ${LETTERS} and 24 hex digits, as shown by \`share-release account list\``,
  );
}

/**
 * Returns the option for the name of the moderator. The help does not print the default, because it is the name of the
 * current user.
 */
function moderatorOption(): Option {
  return new Option("--by <name>", "Name of the moderator for the log").default(
    defaultModerator(),
    "name of the current user",
  );
}

/** Returns the name of the current user. Returns the user id instead if there is no name, as in some containers. */
export function defaultModerator(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

/**
 * Checks the text of an option, which must be one line. Returns the text.
 * @throws UsageError if the text is empty, longer than `most` characters, or has control characters
 */
export function lineOfText(option: string, text: string, most: number): string {
  const parsed = plainText({ least: 1, most }).safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${option} ${parsed.error.issues[0]?.message ?? "must be one line of text"}`);
}
