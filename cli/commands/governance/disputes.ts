/** share-release disputes: signals that somebody says are wrong, answered by people; no answer changes a score. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { publishedSignal } from "../../../operations/disputes/index.ts";
import { currentDigest } from "../../../pipeline/store/releases.ts";
import { disputeId } from "../../../schemas/public/account/dispute.ts";
import { ANSWERED_STATES, DISPUTE_STATES, type DisputeState, MENDABLE } from "../../../schemas/public/dispute.ts";
import { type AnsweredBy, answerDispute, type Mended, noteMended } from "../../../server/people/disputes/answer.ts";
import { type Corrected, correctAnswer } from "../../../server/people/disputes/correct.ts";
import { requireMending } from "../../../server/people/disputes/mending-release.ts";
import { queuedDisputes, showDispute } from "../../../server/people/disputes/queue.ts";
import { withAccounts } from "../../options/account-store.ts";
import { CommandFailed, UsageError } from "../../options/exit-codes.ts";
import { decidedBy } from "../../options/requests/decided-by.ts";
import { lineOfText } from "../../options/requests/line-of-text.ts";
import { command, countArgument, printResult, type SharedOptions, storeOf } from "../../options/shared.ts";
import { wantedRelease } from "../../options/wanted-release.ts";
import { disputesText, disputeText } from "../../text/dispute-text.ts";
import { paint, printLines, printPainted } from "../../text/terminal-text.ts";
import { usageInOneLine } from "../../text/usage-line.ts";

const EXAMPLE = "w2e9b60f4a17d83c5e0b94f7a";

/** What a dispute is answered by: what is told of it, and that nothing is. */
const ANSWERS = [...ANSWERED_STATES, "withdrawn"] as const satisfies DisputeState[];

const LISTED = [...DISPUTE_STATES, "all"] as const;

/** --store and --json may stand before and after the name of a subcommand: the group takes both, and each asks it. */
export function disputesCommand(): Command {
  const disputes = command("disputes", "answer those who say that a signal is wrong; no answer changes a score", [
    "disputes list",
    `disputes show ${EXAMPLE}`,
    `disputes answer ${EXAMPLE} source_must_mend --reason "The repository lists no creators."`,
    `disputes correct ${EXAMPLE} rejected --reason "It is a licence." --because "Read too quickly."`,
    `disputes mended ${EXAMPLE}`,
  ]);
  for (const each of [listCommand(), showCommand(), answerCommand(), correctCommand(), mendedCommand()]) {
    disputes.addCommand(each.configureOutput(usageInOneLine(`share-release disputes ${each.name()}`)).exitOverride());
  }
  return disputes;
}

interface ListOptions {
  readonly state: (typeof LISTED)[number];
  readonly record?: string;
  readonly limit: number;
}

function listCommand(): Command {
  return command("list", "what waits for an answer, the oldest first", [
    "disputes list",
    "disputes list --state upheld",
    "disputes list --state all --json",
  ])
    .addOption(new Option("--state <state>", "in one state").choices(LISTED).argParser(listedState).default("open"))
    .option("--record <id>", "of one record only")
    .option("--limit <n>", "so many at most", countArgument(1, 100_000), 100)
    .action(async (given: ListOptions, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const state = given.state === "all" ? null : given.state;
      const query = { state, recordId: given.record ?? null, limit: given.limit };
      const { disputes, total } = await withAccounts(options, ({ db }) => queuedDisputes(db, query));
      if (!options.json) {
        const what = state === "open" ? "waits for an answer" : "is there";
        return printPainted(disputesText(disputes, total, what, paint));
      }
      for (const dispute of disputes) printLines(JSON.stringify(dispute));
      printLines(JSON.stringify({ listed: disputes.length, total }));
    });
}

function listedState(text: string): (typeof LISTED)[number] {
  const state = spelled(text, LISTED);
  if (state === undefined) throw new InvalidArgumentError(`Allowed choices are ${LISTED.join(", ")}.`);
  return state;
}

/** One of them, which may be typed with hyphens. */
function spelled<State extends string>(text: string, states: readonly State[]): State | undefined {
  const typed = text.replaceAll("-", "_");
  return states.find((state) => state === typed);
}

function showCommand(): Command {
  return command("show", "one of them, with all that helps to answer it, and what was done", [
    `disputes show ${EXAMPLE}`,
  ])
    .argument("<id>", "from `disputes list`")
    .action(async (id: string, _own: object, self: Command) => {
      requireId(id);
      const options = self.optsWithGlobals<SharedOptions>();
      const dispute = await withAccounts(options, ({ db }) => showDispute(db, id));
      const store = storeOf(options);
      const digest = await currentDigest(store);
      const published = digest === null ? null : await publishedSignal(dispute, digest, store);
      printResult(options, { ...dispute, published }, () => disputeText(dispute, published, paint), printPainted);
    });
}

interface AnswerOptions {
  readonly reason: string;
  readonly by: string;
}

function answerCommand(): Command {
  return command("answer", "answer one of them, once", [
    `disputes answer ${EXAMPLE} upheld --reason "The reader missed the second file." --by ada`,
  ])
    .argument("<id>", "from `disputes list`")
    .argument(
      "<state>",
      `one of ${ANSWERS.join(", ")}; withdrawn erases at once who said it and what they wrote, and cannot be corrected`,
    )
    .requiredOption("--reason <text>", "a sentence, for everybody to read beside the record: no names or addresses")
    .option("--by <name>", "who answers, for the log", decidedBy())
    .action(async (id: string, typed: string, given: AnswerOptions, self: Command) => {
      requireId(id);
      const answer = lineOfText("--reason", given.reason, 500);
      const asked = {
        id,
        state: stateOf(typed, ANSWERS),
        answer,
        by: lineOfText("--by", given.by, 100),
        now: new Date(),
      };
      const options = self.optsWithGlobals<SharedOptions>();
      const answered = await withAccounts(options, (accounts) => answerDispute(accounts, asked));
      printResult(options, answered, answeredText);
    });
}

function stateOf<State extends DisputeState>(text: string, states: readonly State[]): State {
  const state = spelled(text, states);
  if (state !== undefined) return state;
  throw new UsageError(`the answer to a dispute is one of ${states.join(", ")}`);
}

function answeredText({ id, state, by }: AnsweredBy): string {
  const erased = state === "withdrawn" ? ["who said it and what they wrote is erased"] : [];
  return [`answered dispute ${id}: ${state}, by ${by}`, ...erased, ...toBeMended(id, state)].join("\n");
}

/** What is to be done next; nothing of what cannot be mended. */
function toBeMended(id: string, state: string): string[] {
  return MENDABLE.includes(state) ? [`once a release has it otherwise: share-release disputes mended ${id}`] : [];
}

interface CorrectOptions extends AnswerOptions {
  readonly because: string;
}

function correctCommand(): Command {
  return command("correct", "put another answer in the place of a wrong one, which stays in the log", [
    `disputes correct ${EXAMPLE} rejected --reason "It is a licence." --because "Read too quickly." --by ada`,
  ])
    .argument("<id>", "of a dispute that was answered")
    .argument("<state>", `one of ${ANSWERED_STATES.join(", ")}; also where it stays the same`)
    .requiredOption(
      "--reason <text>",
      "the new sentence, for everybody to read beside the record: no names or addresses",
    )
    .requiredOption("--because <text>", "why the earlier answer was wrong, kept in the log: no names or addresses")
    .option("--by <name>", "who corrects it, for the log", decidedBy())
    .action(async (id: string, typed: string, given: CorrectOptions, self: Command) => {
      requireId(id);
      const [state, by] = [stateOf(typed, ANSWERED_STATES), lineOfText("--by", given.by, 100)];
      const answer = lineOfText("--reason", given.reason, 500);
      const reason = lineOfText("--because", given.because, 500);
      const options = self.optsWithGlobals<SharedOptions>();
      const asked = { id, state, answer, reason, by, now: new Date() };
      const corrected = await withAccounts(options, (accounts) => correctAnswer(accounts, asked));
      printResult(options, corrected, correctedText);
    });
}

function correctedText({ id, state, mendedIn, earlier, by }: Corrected): string {
  const words = state === earlier.state ? `${state} as before, in other words` : `${state} instead of ${earlier.state}`;
  const unnamed =
    mendedIn === null && earlier.mendedIn !== null
      ? [`that it was mended in release ${earlier.mendedIn.scoreReleaseVersion} is told no longer`]
      : [];
  const next = mendedIn === null ? toBeMended(id, state) : [];
  return [`corrected the answer to ${id}: ${words}, by ${by}`, ...unnamed, ...next].join("\n");
}

interface MendedOptions {
  readonly release?: string;
  readonly because?: string;
  readonly by: string;
}

function mendedCommand(): Command {
  return command("mended", "name the release since which the signal has another state", [
    `disputes mended ${EXAMPLE}`,
    `disputes mended ${EXAMPLE} --release sha256:3f9c`,
    `disputes mended ${EXAMPLE} --release sha256:3f9c --because "The earlier one had it by chance."`,
  ])
    .argument("<id>", "of a dispute that was upheld, or that the source had to mend")
    .option("--release <digest>", "its digest, or enough of the beginning; the active one without it")
    .option(
      "--because <text>",
      "why the release that is named should not have been, kept in the log: no names or addresses",
    )
    .option("--by <name>", "who says so, for the log", decidedBy())
    .action(async (id: string, given: MendedOptions, self: Command) => {
      requireId(id);
      const by = lineOfText("--by", given.by, 100);
      const reason = given.because === undefined ? null : lineOfText("--because", given.because, 500);
      const options = self.optsWithGlobals<SharedOptions>();
      const store = storeOf(options);
      const digest = await wantedRelease(store, given.release);
      const mended = await withAccounts(options, async (accounts) => {
        const dispute = await showDispute(accounts.db, id);
        const now = await publishedSignal(dispute, digest, store);
        const { signal, recordId, publishedState } = dispute;
        if (now === null) throw new CommandFailed(`${digest} says nothing of ${signal} of ${recordId}`);
        if (now.state === publishedState) {
          const under = now.contract === dispute.contract ? "" : ` (under ${now.contract})`;
          throw new CommandFailed(`${digest} has ${signal} of ${recordId} as it was disputed: ${now.state}${under}`);
        }
        await requireMending(store, digest, dispute.release.releaseDigest);
        const noted = await noteMended(accounts, { id, release: now.release, reason, by, now: new Date() });
        return { ...noted, contract: now.contract };
      });
      printResult(options, mended, mendedText);
    });
}

function mendedText({ id, mendedIn, earlier, contract, by }: Mended & { readonly contract: string }): string {
  const instead = earlier === null ? "" : ` and not in ${earlier.scoreReleaseVersion}`;
  return `dispute ${id} is mended in release ${mendedIn.scoreReleaseVersion}${instead}, under ${contract}, by ${by}`;
}

function requireId(id: string): void {
  if (disputeId.safeParse(id).success) return;
  throw new UsageError("that is no id of a dispute: w and 24 hex digits, as `share-release disputes list` shows them");
}
