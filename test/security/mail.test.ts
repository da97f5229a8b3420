/** Attacks with emails: failing addresses that delay others, one domain that fills the queue, many spellings of one mailbox. */

import { expect, test } from "vitest";
import { foldedEmail } from "../../schemas/public/account/registration.ts";
import { linkRequest } from "../../schemas/public/account/sign-in.ts";
import type { Message } from "../../server/accounts/mail.ts";
import { Outbox } from "../../server/accounts/mail.ts";

const message = (to: string): Message => ({ to, subject: "s", text: "t", html: "h", at: new Date(0) });
const later = Object.assign(new Error("try later"), { responseCode: 451 });

/** Makes a mail queue whose deliveries behave as `behave` says. The pause before a retry lasts until the queue is closed. */
function office(behave: (to: string) => Promise<void>) {
  const delivered: string[] = [];
  const paused: number[] = [];
  const outbox = new Outbox(
    {
      async deliver({ to }) {
        await behave(to);
        delivered.push(to);
      },
      verify: null,
      close: () => undefined,
    },
    {
      log: () => undefined,
      sleep: async (milliseconds, signal) => {
        paused.push(milliseconds);
        await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
      },
    },
  );
  return { outbox, delivered, paused };
}

test("messages that wait for a retry do not delay new messages", async () => {
  const { outbox, delivered, paused } = office(async (to) => {
    if (to.endsWith("@failing.example")) throw later;
  });
  for (let i = 0; i < 40; i += 1) outbox.post(message(`a${i}@failing.example`));
  outbox.post(message("victim@example.org"));
  await expect.poll(() => delivered).toEqual(["victim@example.org"]);
  await expect.poll(() => paused.length).toBe(40);
});

test("a mail domain that hangs does not use up all connections", async () => {
  const { outbox, delivered } = office((to) =>
    to.endsWith("@hanging.example") ? new Promise(() => undefined) : Promise.resolve(),
  );
  for (let i = 0; i < 100; i += 1) outbox.post(message(`a${i}@hanging.example`));
  for (const to of ["one@example.org", "two@example.org"]) outbox.post(message(to));
  await expect.poll(() => delivered).toEqual(["one@example.org", "two@example.org"]);
});

test("mail domains take turns, so that a message does not wait for a hundred messages to another domain", async () => {
  const waiting: (() => void)[] = [];
  const { outbox, delivered } = office(() => new Promise((resolve) => waiting.push(resolve)));
  for (let i = 0; i < 100; i += 1) outbox.post(message(`a${i}@busy.example`));
  outbox.post(message("one@example.org"));
  for (let i = 0; i < 5; i += 1) {
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    waiting.shift()?.();
    await new Promise(setImmediate);
  }
  expect(delivered).toContain("one@example.org");
});

test("one mail domain cannot fill the queue of messages", () => {
  const { outbox } = office(() => new Promise(() => undefined));
  let posted = 0;
  for (; outbox.hasRoom("a@busy.example") && posted < 2000; posted += 1) outbox.post(message("a@busy.example"));
  expect(posted).toBeLessThan(600);
  expect(outbox.hasRoom("victim@example.org")).toBe(true);
});

test.each([
  ["full-width letters", "victim@ｅxample.org"],
  ["an ideographic full stop", "victim@example。org"],
  ["a soft hyphen", "victim@exam\u00adple.org"],
  ["a circled letter", "victim@ⓔxample.org"],
  ["capitals", "Victim@EXAMPLE.org"],
])("a mailbox written with %s shares its limit with the usual spelling", (_name, spelling) => {
  expect(foldedEmail(spelling)).toBe("victim@example.org");
});

test("a mail domain has one limit for its Unicode and ASCII forms, and an address with an IP address as its domain is rejected", () => {
  expect(foldedEmail("a@xn--bcher-kva.example")).toBe(foldedEmail("a@BÜCHER.example"));
  for (const email of ["a@1.2", "a@0x7f.1", "a@１.２.３.４", "a@xn--.example"])
    expect([email, linkRequest.safeParse({ email }).success]).toEqual([email, false]);
});
