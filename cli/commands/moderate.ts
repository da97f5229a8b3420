/** share-release moderate: claims, visibility requests and submissions, decided by people; and the log of it. */

import { type Command, Option } from "commander";
import { replaceFile } from "../../pipeline/files/durable.ts";
import { plural } from "../../pipeline/reading/text.ts";
import type { Accounts } from "../../server/accounts/database/index.ts";
import { type AuditEvent, auditEvents, type SUBJECT_KINDS } from "../../server/accounts/moderation/audit.ts";
import { type Decided, decide, unhide } from "../../server/accounts/moderation/decide.ts";
import {
  hiddenResearchers,
  kindOf,
  listSubjects,
  MODERATION_STATES,
  type ModerationState,
  showSubject,
} from "../../server/accounts/moderation/queue.ts";
import { withAccounts } from "../options/account-store.ts";
import { UsageError } from "../options/exit-codes.ts";
import { decidedBy } from "../options/requests/decided-by.ts";
import { lineOfText } from "../options/requests/line-of-text.ts";
import { command, countArgument, printResult, type SharedOptions, storeOf } from "../options/shared.ts";
import { eventText, queueText, subjectText } from "../text/moderation-text.ts";
import { publishedOf } from "../text/published-of.ts";
import { paint, printLines, printPainted } from "../text/terminal-text.ts";
import { usageInOneLine } from "../text/usage-line.ts";
import { withholdCommand } from "./withhold.ts";

/** What each kind is called on the command line. */
const KINDS = { claims: "claim", visibility: "visibility", submissions: "submission" } as const satisfies Record<
  string,
  (typeof SUBJECT_KINDS)[number]
>;

/** --store and --json may stand before and after the name of a subcommand: the group takes both, and each asks it. */
export function moderateCommand(): Command {
  const moderate = command("moderate", "decide profile claims, visibility requests and dataset submissions", [
    "moderate list",
    "moderate show c51f0be7a9d3c2468e07b1f92",
    "moderate approve c51f0be7a9d3c2468e07b1f92",
    "moderate export --to withheld.txt",
    "moderate withhold",
  ]);
  const commands = [
    listCommand(),
    showCommand(),
    decisionCommand("approve"),
    decisionCommand("reject"),
    exportCommand(),
    withholdCommand(),
    unhideCommand(),
    logCommand(),
  ];
  for (const each of commands) {
    moderate.addCommand(each.configureOutput(usageInOneLine(`share-release moderate ${each.name()}`)).exitOverride());
  }
  return moderate;
}

interface ListOptions {
  readonly kind?: keyof typeof KINDS;
  readonly state: ModerationState | "all";
  readonly limit: number;
}

function listCommand(): Command {
  return command("list", "what waits for a decision, the oldest first", [
    "moderate list",
    "moderate list --kind visibility",
    "moderate list --state all --json",
  ])
    .addOption(new Option("--kind <kind>", "of one kind only").choices(Object.keys(KINDS)))
    .addOption(
      new Option("--state <state>", "in one state; of submissions, pending are those queued, approved those accepted")
        .choices([...MODERATION_STATES, "all"])
        .default("pending"),
    )
    .option("--limit <n>", "so many at most", countArgument(1, 100_000), 100)
    .action(async (given: ListOptions, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const query = {
        kind: given.kind === undefined ? null : KINDS[given.kind],
        state: given.state === "all" ? null : given.state,
        limit: given.limit,
      };
      const { subjects, total } = await withAccounts(options, ({ db }) => listSubjects(db, query));
      if (!options.json) {
        const what = given.state === "pending" ? "waits for a decision" : "is there";
        return printPainted(queueText(subjects, total, what, paint));
      }
      for (const subject of subjects) printLines(JSON.stringify(subject));
      printLines(JSON.stringify({ listed: subjects.length, total }));
    });
}

function showCommand(): Command {
  return command("show", "one of them, with all that helps to decide", ["moderate show c51f0be7a9d3c2468e07b1f92"])
    .argument("<id>", "from `moderate list`")
    .action(async (id: string, _own: object, self: Command) => {
      requireId(id);
      const options = self.optsWithGlobals<SharedOptions>();
      const subject = await withAccounts(options, ({ db }) => showSubject(db, id));
      const published = await publishedOf(subject, storeOf(options));
      printResult(options, { ...subject, published }, () => subjectText(subject, published, paint), printPainted);
    });
}

interface DecisionOptions {
  readonly reason?: string;
  readonly by: string;
}

function decisionCommand(name: "approve" | "reject"): Command {
  const approving = name === "approve";
  const example = approving
    ? "moderate approve c51f0be7a9d3c2468e07b1f92 --by ada"
    : 'moderate reject v7c20d9e41b6f3a85d01e9c47 --reason "We could not reach you." --by ada';
  const decision = command(name, approving ? "approve one of them, for good" : "reject one of them, for good", [
    example,
  ])
    .argument("<id>", "from `moderate list`")
    .option("--by <name>", "who decides, for the log", decidedBy());
  const words = "said to who asked, and kept in the log: no names or addresses";
  return (
    approving ? decision.option("--reason <text>", words) : decision.requiredOption("--reason <text>", words)
  ).action(async (id: string, given: DecisionOptions, self: Command) => {
    requireId(id);
    const by = lineOfText("--by", given.by, 100);
    const reason = given.reason === undefined ? null : lineOfText("--reason", given.reason, 500);
    const options = self.optsWithGlobals<SharedOptions>();
    const verdict = approving ? "approved" : "rejected";
    const decided = await withAccounts(options, (accounts) =>
      decide(accounts, { id, verdict, reason, by, now: new Date() }),
    );
    printResult(options, decided, decidedText);
  });
}

function decidedText({ id, kind, state, by }: Decided): string {
  const word = kind === "visibility" ? "request" : kind;
  return `${state} ${word} ${id}, by ${by}`;
}

function exportCommand(): Command {
  return command("export", "ids of hidden researchers, for `build --withhold`", [
    "moderate export --to withheld.txt && share-release build --as-of 2026-11-01 --withhold withheld.txt",
  ])
    .option("--to <file>", "write them to a file, whole or not at all; standard output without it")
    .action(async (given: { readonly to?: string }, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const hidden = await withAccounts(options, ({ db }) => hiddenResearchers(db));
      const text = ["# Researchers who opted out, for share-release build --withhold", ...hidden.map(({ id }) => id)];
      if (given.to !== undefined) {
        // Who opted out is nobody else's business.
        await replaceFile(given.to, `${text.join("\n")}\n`, 0o600);
        const summary = { file: given.to, researchers: hidden.length };
        return printResult(options, summary, () => `wrote ${given.to}: ${plural(hidden.length, "researcher")}`);
      }
      const summary = { researchers: hidden.length };
      const lines = options.json ? [...hidden.map(({ id, since }) => ({ id, since })), summary].map(asJson) : text;
      printLines(lines.join("\n"));
    });
}

function unhideCommand(): Command {
  return command("unhide", "show a researcher again whose account, which could ask for it, is gone", [
    'moderate unhide a030cdc907e27848db600444a --reason "Asked by letter." --by ada',
  ])
    .argument("<id>", "id of a researcher, from `moderate export --json`")
    .requiredOption("--reason <text>", "kept in the log: no names or addresses")
    .option("--by <name>", "who decides, for the log", decidedBy())
    .action(async (researcherId: string, given: { readonly reason: string; readonly by: string }, self: Command) => {
      const [by, reason] = [lineOfText("--by", given.by, 100), lineOfText("--reason", given.reason, 500)];
      const options = self.optsWithGlobals<SharedOptions>();
      const shown = await withAccounts(options, (accounts) =>
        unhide(accounts, { researcherId, reason, by, now: new Date() }),
      );
      printResult(options, shown, ({ id }) => `researcher ${id} is shown again, by ${by}`);
    });
}

function logCommand(): Command {
  return command("log", "every decision so far, the oldest first", ["moderate log", "moderate log --json"]).action(
    async (_own: object, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const events = await withAccounts(options, (accounts) => printLog(accounts, options.json ? asJson : eventText));
      if (options.json) printLines(asJson({ events }));
      else if (events === 0) printLines("nothing was decided yet");
    },
  );
}

/** Returns how many there were; they are printed as they are read. */
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

function requireId(id: string): void {
  if (kindOf(id) !== null) return;
  throw new UsageError(
    "that is no id of a claim, a request or a submission: c, v or d and 24 hex digits, as `share-release moderate list` shows them",
  );
}
