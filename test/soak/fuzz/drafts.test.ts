/**
 * Fuzz test of drafts: any file for `share-release score`, and any draft from a client or the site, is scored or rejected with a
 * message.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask } from "../../server/ask.ts";
import { releasedStore, serve, UNLIMITED } from "../../server/test-store.ts";
import { commandHost } from "../../support/command-host.ts";
import { temporaryStore } from "../../support/temporary-store.ts";
import { samples } from "./corpus.ts";
import { mutated } from "./mutated.ts";
import { FUZZ_TIME, playRounds } from "./rounds.ts";
import { answering } from "./watched-server.ts";

const SAMPLES = samples();
const ALL = SAMPLES.map(({ bytes }) => bytes);

/** Allowed exit codes of `share-release score`, in order: scored, rejected, wrong usage, no score. */
const CODES = [0, 1, 2, 3];
/** Allowed statuses: scored (200), rejected (400), too large (413), too much for a worker (502 and 504). */
const STATUSES = [200, 400, 413, 502, 504];
const STEERS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

test("any draft is scored, or rejected with a message", { timeout: FUZZ_TIME }, async () => {
  await using made = await temporaryStore();
  await using host = commandHost(join(import.meta.dirname, "../../cli/share-release.ts"));
  const released = await releasedStore({ rubrics: ["2.0"], attribution: false, history: false });
  const quotas = { ...UNLIMITED, evaluation: { requests: 1_000_000, seconds: 60 } };
  const server = await serve(released.store, { quotas });
  const codes = new Map<number, number>();
  const statuses = new Map<number, number>();
  const origin = `http://localhost:${server.port}`;
  const program = (source: string, body: Buffer) =>
    ask(server.port, `/evaluations/draft?source=${source}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body,
    });
  const page = (source: string, body: Buffer) =>
    ask(server.port, "/check/draft", {
      method: "POST",
      headers: { origin, "content-type": "multipart/form-data; boundary=fuzz-of-drafts", accept: "text/html" },
      body: Buffer.concat([
        Buffer.from(
          `--fuzz-of-drafts\r\nContent-Disposition: form-data; name="source"\r\n\r\n${source}\r\n` +
            '--fuzz-of-drafts\r\nContent-Disposition: form-data; name="file"; filename="draft"\r\n\r\n',
        ),
        body,
        Buffer.from("\r\n--fuzz-of-drafts--\r\n"),
      ]),
    });
  await playRounds(async (dice, _round, unblocked) => {
    const { source, bytes, name } = dice.of(SAMPLES);
    const path = join(made.folder, name);
    const changed = mutated(bytes, dice, ALL);
    await writeFile(path, changed);
    const sending = dice.oneIn(2) ? program : page;
    const answer = await answering(server.port, () => unblocked(() => sending(source, changed)));
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([expect.toBeOneOf(STATUSES), expect.anything()]);
    expect(answer.text).not.toMatch(/^ +at .*\.ts:\d/m);
    const named = dice.oneIn(3) ? [] : ["--source", source];
    const json = dice.oneIn(2) ? ["--json"] : [];
    const { exitCode, stdout, stderr } = await host.run(["score", path, ...named, ...json], {
      environment: { SHARE_STORE: made.store.root },
    });
    codes.set(exitCode ?? -1, (codes.get(exitCode ?? -1) ?? 0) + 1);
    expect(CODES).toContain(exitCode);
    // A stack trace would mean a fault of ours.
    expect(stderr).not.toMatch(/^ +at /m);
    for (const line of `${stdout}\n${stderr}`.split(/[\n\t]/)) expect(line).not.toMatch(STEERS);
  }).finally(async () => {
    await server.close();
    await released[Symbol.asyncDispose]();
  });
  expect(codes.size).toBeGreaterThan(0);
  expect(statuses.size).toBeGreaterThan(0);
});
