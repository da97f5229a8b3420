/**
 * Delivery of emails: retried if the mail server is unavailable, given up if it rejects the email, and never logged with the
 * content.
 */

import { describe, expect, test } from "vitest";
import type { LogEvent } from "../../pipeline/stage/effects.ts";
import { signInMessage } from "../../server/accounts/magic-links.ts";
import type { Message } from "../../server/accounts/mail.ts";
import { type MailTransport, Outbox, smtpTransport } from "../../server/accounts/mail.ts";
import { freePort } from "../support/free-port.ts";
import { openMailbox } from "./mailbox.ts";
import { SignInWorld } from "./world.ts";

const MESSAGE = signInMessage({
  to: "reader@example.org",
  link: `https://share.example/auth/magic#token=${"t".repeat(43)}`,
  site: { title: "SHARE", origin: "https://share.example" },
  at: new Date("2026-11-02T12:00:00.000Z"),
});
const FROM = "SHARE <no-reply@share.example>";

/** Returns effects for an outbox that record log events and waiting times (in milliseconds), but do not wait. */
function recorded() {
  const logged: LogEvent[] = [];
  const slept: number[] = [];
  return {
    logged,
    slept,
    log: (event: LogEvent) => void logged.push(event),
    sleep: async (milliseconds: number, signal?: AbortSignal) => {
      slept.push(milliseconds);
      // A wait without a signal, or for the grace period, never ends, so that only the delivery itself can end it.
      if (signal === undefined || milliseconds === GRACE) await new Promise(() => undefined);
    },
  };
}
const GRACE = 5;

/** Makes a mail transport that fails with these errors in turn, and then delivers. */
function failing(...errors: readonly Error[]): MailTransport & { readonly delivered: Message[] } {
  const [left, delivered] = [[...errors], [] as Message[]];
  return {
    delivered,
    deliver: async (message) => {
      const error = left.shift();
      if (error !== undefined) throw error;
      delivered.push(message);
    },
    verify: null,
    close: () => undefined,
  };
}

const away = (extra: object = {}) =>
  Object.assign(new Error("reader@example.org: try later"), { code: "ESOCKET", command: "CONN", ...extra });

describe("an email", () => {
  test("an email is sent again after increasing delays while the mail server is unavailable", async () => {
    const effects = recorded();
    const office = failing(away(), away({ responseCode: 451, command: "RCPT TO" }), away());
    const outbox = new Outbox(office, effects);
    outbox.post(MESSAGE);
    await expect.poll(() => office.delivered).toEqual([MESSAGE]);
    expect(effects.slept).toEqual([1000, 10_000, 60_000]);
    expect(effects.logged.map(({ tries, again, responseCode }) => [tries, again, responseCode])).toEqual([
      [1, true, null],
      [2, true, 451],
      [3, true, null],
    ]);
    await outbox.close(GRACE);
  });

  test("an email is given up after five attempts, or at once if the mail server rejects it permanently", async () => {
    for (const { errors, tries } of [
      { errors: Array.from({ length: 9 }, () => away()), tries: 5 },
      { errors: [away({ responseCode: 550 })], tries: 1 },
    ]) {
      const effects = recorded();
      const outbox = new Outbox(failing(...errors), effects);
      outbox.post(MESSAGE);
      await expect.poll(() => effects.logged.at(-1)?.again).toBe(false);
      expect(effects.logged.at(-1)).toMatchObject({ level: "error", event: "mail-not-sent", tries });
      expect(JSON.stringify(effects.logged)).not.toMatch(/reader|example\.org|tttt/);
      await outbox.close(GRACE);
    }
  });

  test("an outbox in which a thousand emails wait has no room for another", async () => {
    const effects = recorded();
    const outbox = new Outbox(
      { deliver: () => new Promise(() => undefined), verify: null, close: () => undefined },
      effects,
    );
    for (let i = 0; i < 1004; i += 1) {
      const to = `reader@${i % 3}.example`;
      expect(outbox.hasRoom(to)).toBe(true);
      outbox.post({ ...MESSAGE, to });
    }
    expect(outbox.hasRoom("reader@other.example")).toBe(false);
  });

  test("an email is still sent if the outbox is closed during its delivery", async () => {
    const mailbox = await openMailbox();
    const effects = recorded();
    const outbox = new Outbox(smtpTransport(mailbox.url, FROM), effects);
    for (let i = 0; i < 10; i += 1) outbox.post(MESSAGE);
    await outbox.close(GRACE);
    expect(mailbox.received).toHaveLength(10);
    expect(effects.logged).toEqual([]);
    await mailbox.close();
  });
});

describe("a mail server", () => {
  test("a mail server that fails does not change the response to the user, and the log omits the email address", async () => {
    await using world = await SignInWorld.make();
    world.mailbox.reject(550);
    const ask = (port: number) =>
      world.browser({ port }).post("/auth/magic/request", { email: "rejected@example.org" });
    expect((await ask(world.port)).status).toBe(201);
    await expect.poll(() => world.logged()).toContain("mail-not-sent");
    const [line = ""] = world
      .logged()
      .split("\n")
      .filter((each) => each.includes("mail-not-sent"));
    expect(line).toMatch(/"reqId":"[0-9a-f-]{36}"/);
    const port = await world.serve({ signIn: { smtpUrl: `smtp://127.0.0.1:${await freePort()}` } });
    expect((await ask(port)).status).toBe(201);
    await expect.poll(() => world.logged()).toContain('"code":"ESOCKET"');
    expect(world.logged()).toContain('"responseCode":550');
    expect(world.logged()).not.toMatch(/rejected@|is not taken/);
  });

  test("a mail server whose URL has a password is used only over TLS", async () => {
    const mailbox = await openMailbox();
    const office = smtpTransport(mailbox.url.replace("//", "//user:secret@"), FROM);
    await expect(office.deliver(MESSAGE)).rejects.toMatchObject({ command: "STARTTLS" });
    expect(mailbox.received).toEqual([]);
    office.close();
    await mailbox.close();
  });

  test.each(["", "mail.example", "http://u:secret@mail.example", "smtp://", "file:///etc/passwd", "secret"])(
    "the mail server %j is rejected, and the error does not repeat the URL",
    (address) => {
      expect(() => smtpTransport(address, FROM)).toThrow(/SMTP_URL is not an SMTP URL/);
      expect(() => smtpTransport(address, FROM)).not.toThrow(/secret/);
    },
  );
});
