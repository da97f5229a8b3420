/** The command `share-release serve`: stores that it rejects, the form of its log, and the contact that its pages show. */

import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { getErrorMessage } from "../../pipeline/stage/effects.ts";
import { listeningAddress } from "../cli/listening-address.ts";
import { jsonLines, runCommand, startCommand } from "../support/command-line.ts";
import { startServing } from "../support/serving.ts";

const folder = mkdtempSync(join(tmpdir(), "share-serve-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const letter = join(folder, "letter.txt");
writeFileSync(letter, "Dear reader");

test.each([join(folder, "misspelt"), letter])(
  "serve rejects a store that is missing or a file, and does not create it: %s",
  async (store) => {
    const ended = await runCommand(["serve", "--port", "0", "--store", store]);
    expect(ended).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `share-release: there is no store ${store}; give another --store, or create the folder for a new store\n`,
    });
    expect(existsSync(join(folder, "misspelt"))).toBe(false);
  },
);

test("every log line of serve with --json has a time, a level and an event", async () => {
  const server = await startServing(["--store", folder], {});
  await fetch(`http://127.0.0.1:${server.port}/health`);
  await server.end();
  const lines = jsonLines(server.logged());
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) {
    expect(line).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: expect.stringMatching(/^[a-z]+$/),
      event: expect.stringMatching(/^[a-z][a-z-]+$/),
    });
  }
});

test("a server that cannot reach its accounts logs the reason in every error", async () => {
  const server = await startServing(["--store", folder], {
    DATABASE_URL: "postgresql://u:secret@127.0.0.1:1/share",
  });
  await server.end();
  const errors = jsonLines(server.logged()).filter((line) => (line as { level: string }).level === "error");
  const message = expect.stringMatching(/DATABASE_URL \(ECONNREFUSED\); check that the server runs/);
  for (const event of ["accounts-not-opened", "sign-ins-not-swept", "hidden-researchers-not-read", "jobs-not-reached"])
    expect(errors).toContainEqual(expect.objectContaining({ event, message }));
});

test.each([
  {
    name: "an AggregateError",
    error: new AggregateError([new Error("connect ECONNREFUSED ::1:1"), new Error("other")]),
  },
  { name: "an error with a cause", error: new Error("", { cause: new Error("connect ECONNREFUSED ::1:1") }) },
])("the message of $name that has no text is that of the error in it", ({ error }) => {
  expect(getErrorMessage(error)).toBe("connect ECONNREFUSED ::1:1");
});

test.each([
  { contact: "ada@example.org", shown: { email: "ada@example.org" }, link: "mailto:ada@example.org" },
  { contact: "https://example.org/help", shown: { url: "https://example.org/help" }, link: "https://example.org/help" },
  { contact: null, shown: {}, link: null },
])(
  "the OpenAPI document and the API reference show the contact that SHARE_CONTACT states: $contact",
  async ({ contact, shown, link }) => {
    const parameters = ["serve", "--port", "0", "--json", "--store", folder];
    const server = startCommand(parameters, contact === null ? {} : { environment: { SHARE_CONTACT: contact } });
    try {
      const { address } = await listeningAddress(server);
      const document: unknown = await (await fetch(new URL("/openapi.json", address))).json();
      expect(document).toHaveProperty("info.contact", {
        name: expect.any(String),
        ...shown,
      });
      const reference = await (await fetch(new URL("/docs", address))).text();
      expect(reference.match(/Contact of this server: <a href="([^"]+)"/)?.[1] ?? null).toBe(link);
    } finally {
      server.kill("SIGTERM");
      await once(server, "close");
    }
  },
  60_000,
);
