/**
 * Emails about changes of the items that an account has saved: at most one email for each account after each release.
 * If several servers share a store, only one of them can mark an account as notified, so no email is sent twice.
 */

import { randomBytes } from "node:crypto";
import { STEERING } from "../../pipeline/reading/text.ts";
import { type Effects, getErrorMessage } from "../../pipeline/stage/effects.ts";
import type { ChangeMails, changeMailItem } from "../../schemas/public/account/saved.ts";
import type { ChangeRow } from "../../schemas/public/api/changes.ts";
import type { Receipt } from "../../schemas/public/release.ts";
import type { Movement } from "../../schemas/public/site/queries.ts";
import { byCauses, changeLists, countSentences, scoresText } from "../../web/components/movement.ts";
import { searchWords } from "../../web/components/saving.ts";
import { html } from "../../web/html.ts";
import type { Site } from "../http/own-site.ts";
import { respondCreated, respondDeleted } from "../http/response.ts";
import type { Handlers } from "../http/routes.ts";
import type { ActiveRelease } from "../read/active-release.ts";
import type { Movements } from "../read/movements.ts";
import type { OpenRelease } from "../read/open-release.ts";
import type { Accounts } from "./database.ts";
import { type AccountServices, type OwnedItems, ownRows, withLockedAccount } from "./items.ts";
import type { Message, Outbox } from "./mail.ts";
import { type Look, Mailer } from "./mailer.ts";
import { hiddenAmong, researcherRows } from "./researchers.ts";
import { SAVED_AUTHORS, SAVED_RECORDS, SAVED_REPOSITORIES, SAVED_SEARCHES } from "./saved.ts";

/** The setting that switches the emails on. It is the only kind of item that an account can have only once. */
export const CHANGE_MAILS: OwnedItems = {
  overview: async (accountId, _query, { accounts }) => (await changeMailRows(accounts.db, accountId))[0] ?? null,
  exported: (accountId, { accounts }) => changeMailRows(accounts.db, accountId),
};

export function changeMailHandlers(services: AccountServices): Handlers<keyof typeof changeMailItem.routes> {
  return {
    "start-change-mails": ({ signed }) => respondCreated(startChangeMails(signed.accountId, services)),
    "stop-change-mails": ({ signed }) => respondDeleted(stopChangeMails(signed.accountId, services)),
  };
}

/** Stops the emails of an account. Reads `accounts.db` only now, because the store may not be open when the server starts. */
async function stopChangeMails(accountId: string, { accounts }: AccountServices): Promise<void> {
  await accounts.db.deleteFrom("change_mail").where("account_id", "=", accountId).execute();
}

/** Switches the emails of an account on. Only releases after the active one cause an email. */
async function startChangeMails(accountId: string, { accounts, active, now }: AccountServices): Promise<ChangeMails> {
  const row = {
    account_id: accountId,
    id: `n${randomBytes(24).toString("hex")}`,
    since: now().toISOString(),
    release: active.digest,
  };
  return withLockedAccount(accounts, accountId, async (trx) => {
    const [known] = await changeMailRows(trx, accountId);
    if (known !== undefined) return known;
    await trx.insertInto("change_mail").values(row).execute();
    return { since: row.since };
  });
}

function changeMailRows(db: Accounts["db"], accountId: string): Promise<ChangeMails[]> {
  return db.selectFrom("change_mail").select("since").where("account_id", "=", accountId).execute();
}

/** Stops the emails whose unsubscribe link has this ID. Returns nothing, so that a guesser learns nothing about IDs. */
export async function unsubscribe(id: string, { db }: Pick<Accounts, "db">): Promise<void> {
  await db.deleteFrom("change_mail").where("id", "=", id).execute();
}

interface Sending {
  readonly accounts: Accounts;
  readonly active: ActiveRelease;
  readonly movements: Movements;
  readonly site: Site;
  readonly outbox: Pick<Outbox, "hasRoom" | "post">;
}

interface DueMail {
  readonly accountId: string;
  readonly id: string;
  readonly email: string;
  /** Digest of the release that the last email was about; see the table `change_mail`. */
  readonly release: string | null;
}

/**
 * The emails that are due to all accounts whose last email was about the release `last`. They describe the releases in
 * `chain`; `release` is the active one.
 */
interface Due {
  readonly last: string | null;
  readonly chain: readonly Receipt[];
  readonly release: OpenRelease;
}

/** Number of accounts that are read at a time. */
const ACCOUNTS_AT_ONCE = 100;

/** The saved researchers, repositories and searches that an email describes: the newest 100 of each kind. */
const DESCRIBED = { page: 1, limit: 100 };

/** Maximum number of datasets that an email lists for each release. */
const MAX_CHANGES = 20;

export function changeMailer(
  sending: Sending,
  effects: Pick<Effects, "now" | "sleep" | "log">,
  pollMilliseconds: number,
): Mailer {
  const look: Look = (errors, signal) => new DueMails(sending, effects.now, errors, signal).send();
  return new Mailer(look, "change-mails-not-sent", effects, pollMilliseconds);
}

/** Sends the emails that are due at one moment. */
class DueMails {
  readonly #sending: Sending;
  readonly #now: Effects["now"];
  readonly #errors: Set<string>;
  readonly #signal: AbortSignal;

  constructor(sending: Sending, now: Effects["now"], errors: Set<string>, signal: AbortSignal) {
    this.#sending = sending;
    this.#now = now;
    this.#errors = errors;
    this.#signal = signal;
  }

  async send(): Promise<void> {
    const { accounts, active } = this.#sending;
    const { digest } = active;
    if (digest === null) return;
    for (const last of await notifiedReleases(accounts.db, digest)) {
      await active.use(async (release) => {
        if (release.digest !== digest) return;
        const chain = await this.#releasesAfter(last, release.receipt);
        if (chain !== null) await this.#notifyAccounts({ last, chain, release });
      });
    }
  }

  /**
   * Returns the releases that an email must describe to accounts whose last email was about `last`. Returns null, so
   * that no email is sent, if `last` is newer than the active release: either this server has not opened the latest
   * release yet, or a release was rolled back.
   */
  async #releasesAfter(last: string | null, active: Receipt): Promise<readonly Receipt[] | null> {
    if (last === null) return [];
    const { movements } = this.#sending;
    const chain = await movements.chain(active, last);
    if (chain.at(-1)?.previousReleaseDigest === last) return chain;
    const before = await movements.findReceipt(last);
    return before !== null && before.publishedAt >= active.publishedAt ? null : [active];
  }

  /**
   * Sends the emails to one account after the other. Skips an account if its email fails, or if too many messages wait
   * for its mail domain. The next look for emails tries the skipped accounts again.
   */
  async #notifyAccounts({ last, chain, release }: Due): Promise<void> {
    const { accounts, outbox } = this.#sending;
    let after = "";
    for (;;) {
      const due = await dueMails(accounts.db, last, after);
      for (const mail of due) {
        if (this.#signal.aborted) return;
        if (!outbox.hasRoom(mail.email)) continue;
        await this.#notify(mail, chain, release).catch((error) => this.#errors.add(getErrorMessage(error)));
      }
      if (due.length < ACCOUNTS_AT_ONCE) return;
      after = due.at(-1)?.accountId ?? after;
    }
  }

  /** Sends the email to one account. Marks the account first, so that a crash loses one email and never sends two. */
  async #notify(mail: DueMail, chain: readonly Receipt[], release: OpenRelease): Promise<void> {
    const { accounts, outbox, site } = this.#sending;
    if (!(await markNotified(accounts.db, mail, release.digest))) return;
    try {
      const sections = await this.#sectionsFor(mail.accountId, chain, release);
      if (sections.length === 0) return;
      outbox.post(changeMessage(mail, sections, release.receipt, site, this.#now()));
    } catch (error) {
      await markNotified(accounts.db, { ...mail, release: release.digest }, mail.release);
      throw error;
    }
  }

  async #sectionsFor(accountId: string, chain: readonly Receipt[], { engine }: OpenRelease): Promise<MailSection[]> {
    const { accounts, active, movements } = this.#sending;
    const { db } = accounts;
    const records = await ownRows(db, SAVED_RECORDS, accountId);
    const repositories = await ownRows(db, SAVED_REPOSITORIES, accountId, { query: DESCRIBED });
    const searches = await ownRows(db, SAVED_SEARCHES, accountId, { query: DESCRIBED });
    const authors = await ownRows(db, SAVED_AUTHORS, accountId, { query: DESCRIBED });
    const ids = authors.map(({ researcher_id: id }) => id);
    const [hidden, people] = [await hiddenAmong(db, ids), await researcherRows(active, ids)];
    const chosen = [
      { heading: "Saved datasets", kind: "records", value: records.map(({ record_id: id }) => id).join(",") } as const,
      ...authors
        .filter(({ researcher_id: id }) => !hidden.has(id))
        .map(({ researcher_id: value, slug }) => {
          const heading = people.get(value)?.name ?? slug;
          return { heading, kind: "researcher", value } as const;
        }),
      ...repositories.map(
        ({ repository }) => ({ heading: repository, kind: "repository", value: repository }) as const,
      ),
      ...searches.map(({ query }) => ({ heading: searchWords(query), kind: "search", value: query }) as const),
    ];
    const sections: MailSection[] = [];
    for (const { heading, ...each } of chosen) {
      const found = await movements.of(each, chain, engine);
      if (found.length > 0) sections.push({ heading, movements: found });
    }
    return sections;
  }
}

/**
 * Returns the digests of the releases that the last emails of all accounts were about. Each digest occurs once, and the
 * active release is left out. Null stands for accounts that switched the emails on before there was a release.
 */
async function notifiedReleases(db: Accounts["db"], digest: string): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom("change_mail")
    .select("release")
    .distinct()
    .where(({ or, eb }) => or([eb("release", "is", null), eb("release", "<>", digest)]))
    .execute();
  return rows.map(({ release }) => release);
}

/**
 * Returns the next accounts whose last email was about the release `last`, in the order of their IDs. `after` is the ID
 * of the last account that was already read.
 */
function dueMails(db: Accounts["db"], last: string | null, after: string): Promise<DueMail[]> {
  return db
    .selectFrom("change_mail")
    .innerJoin("account", "account.id", "change_mail.account_id")
    .select(["change_mail.account_id as accountId", "change_mail.id as id", "change_mail.release as release"])
    .select(({ ref }) => ref("account.email").$castTo<string>().as("email"))
    .where("account.email", "is not", null)
    .where("change_mail.release", last === null ? "is" : "=", last)
    .where("change_mail.account_id", ">", after)
    .orderBy("change_mail.account_id")
    .limit(ACCOUNTS_AT_ONCE)
    .execute();
}

/** Records that the last email is about `last`. Returns false if another server was faster, or the emails were stopped. */
async function markNotified(db: Accounts["db"], { id, release }: DueMail, last: string | null): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("change_mail")
    .set({ release: last })
    .where("id", "=", id)
    .where("release", release === null ? "is" : "=", release)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface MailSection {
  readonly heading: string;
  readonly movements: readonly Movement[];
}

/** The changes that one release made to the items that an account has saved. */
interface ReleaseNews {
  readonly release: Pick<Movement, "scoreReleaseVersion" | "previousVersion" | "rubric" | "publishedAt">;
  /** The changed datasets, each once. The one with the largest change is first. */
  readonly largest: readonly ChangeRow[];
  /** A heading and a text about each saved item. The item with the largest change is first. */
  readonly items: readonly { readonly heading: string; readonly sentences: string }[];
}

/** Groups the changes of the saved items by release, the newest release first. */
function groupNews(sections: readonly MailSection[]): ReleaseNews[] {
  const all = sections.flatMap(({ heading, movements }) => movements.map((movement) => ({ heading, movement })));
  const releases = [...Map.groupBy(all, ({ movement }) => movement.releaseDigest).values()];
  return releases
    .flatMap((parts) => {
      const sorted = parts.toSorted(
        (one, other) => countPoints(other.movement.largest[0]) - countPoints(one.movement.largest[0]),
      );
      const [first] = sorted;
      if (first === undefined) return [];
      const changes = new Map(sorted.flatMap(({ movement }) => movement.largest).map((change) => [change.id, change]));
      return {
        release: first.movement,
        largest: [...changes.values()]
          .toSorted((one, other) => countPoints(other) - countPoints(one))
          .slice(0, MAX_CHANGES),
        items: sorted.map(({ heading, movement }) => ({ heading, sentences: countSentences(movement).join(" ") })),
      };
    })
    .toSorted((one, other) => (one.release.publishedAt < other.release.publishedAt ? 1 : -1));
}

/** Returns the size of a change in points, up or down, for sorting. For an added or removed dataset it is 0. */
function countPoints(change: ChangeRow | undefined): number {
  return Math.abs(change?.points ?? 0);
}

function formatHeading({ scoreReleaseVersion, previousVersion, rubric }: ReleaseNews["release"]): string {
  return `Release ${scoreReleaseVersion}, compared with ${previousVersion}, under SHARE ${rubric}`;
}

function changeMessage(
  { id, email }: DueMail,
  sections: readonly MailSection[],
  { scoreReleaseVersion, releaseDigest }: Receipt,
  site: Site,
  at: Date,
): Message {
  const stop = site.buildUrl(`/unsubscribe/${id}`);
  const all = site.buildUrl(`/history/${releaseDigest.replace(":", "-")}`);
  return {
    to: email,
    subject: `${site.title} release ${scoreReleaseVersion}: changes of what you saved`,
    text: plainText(groupNews(sections), { site: site.origin, all, stop }),
    html: markup(groupNews(sections), { site: site.origin, all, stop }),
    at,
    // RFC 8058: mail programs show a button that sends a POST request.
    headers: { "List-Unsubscribe": `<${stop}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}

interface MailLinks {
  readonly site: string;
  readonly all: string;
  readonly stop: string;
}

/** Puts a text from a repository on one line and removes invisible characters. */
const oneLine = (text: string) => text.replace(STEERING, "").replace(/\s+/g, " ");

function plainText(news: readonly ReleaseNews[], { site, all, stop }: MailLinks): string {
  const lines = news.flatMap(({ release, largest, items }) => [
    formatHeading(release),
    "",
    "Your saved items:",
    ...items.map(({ heading, sentences }) => `- ${oneLine(heading)}. ${sentences}`),
    "",
    "Largest changes:",
    ...byCauses(largest).flatMap(({ causes, changes }) => [
      "",
      `${causes}:`,
      ...changes.flatMap((change) => [
        `- ${oneLine(change.title ?? change.identifier)}: ${scoresText(change)}`,
        ...(change.kind === "removed" ? [] : [`  ${site}/datasets/${change.id}`]),
      ]),
    ]),
    "",
  ]);
  return `Changes of what you saved at ${site}\n\n${lines.join("\n")}\nAll changes: ${all}\nYour account: ${site}/me\nStop these emails: ${stop}\n`;
}

function markup(news: readonly ReleaseNews[], { site, all, stop }: MailLinks): string {
  const parts = news.map(
    ({ release, largest, items }) =>
      html`<h2 style="font-size:18px;margin:1.5rem 0 .5rem">${formatHeading(release)}</h2><p>Your saved items:</p><ul>${items.map(({ heading, sentences }) => html`<li><bdi>${oneLine(heading)}</bdi>. ${sentences}</li>`)}</ul><p>Largest changes:</p>${changeLists(largest, site)}`,
  );
  return `${
    html`<!doctype html>
<html lang="en-GB">
<head><meta charset="utf-8"><title>Changes of what you saved</title></head>
<body style="margin:0;padding:2rem 1rem;font:16px/1.55 system-ui,'Segoe UI',Roboto,sans-serif;color:#1b2228;background:#ffffff">
<p>Changes of what you saved at ${site}</p>
${parts}
<p><a href="${all}">All changes</a> · <a href="${site}/me">Your account</a></p>
<p style="color:#55616b"><a href="${stop}">Stop these emails</a></p>
</body>
</html>`.text
  }\n`;
}
