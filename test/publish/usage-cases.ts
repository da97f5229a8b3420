/** Arguments that `share-release release publish` rejects, and the URLs of buckets that it reads. */

import { expect, test } from "vitest";
import { publishCommand } from "../../cli/commands/release-publish.ts";
import { UsageError } from "../../cli/options/exit-codes.ts";
import { s3Address } from "../../releases/publish/s3-bucket.ts";
import { runCommand } from "../support/command-line.ts";
import type { SmallWorld } from "./small-world.ts";

export function usageCases(worldOf: () => SmallWorld): void {
  /** What the command throws; the parser says by itself what it does not take. */
  async function thrownBy(parameters: readonly string[]): Promise<unknown> {
    const said: string[] = [];
    const command = publishCommand()
      .exitOverride()
      .configureOutput({ writeErr: (text) => said.push(text) });
    const whole = ["node", "share-release", ...parameters, "--store", worldOf().store.root];
    return command.parseAsync(whole).then(
      () => null,
      (error: unknown) => error,
    );
  }

  const USAGE: readonly { name: string; parameters: readonly string[]; says: string }[] = [
    { name: "no target", parameters: [], says: "--to" },
    { name: "credentials in the address", parameters: ["--to", "s3://me:hush@scores"], says: "--to takes s3://bucket" },
    {
      name: "another protocol",
      parameters: ["--to", "https://scores.example.org"],
      says: "--to takes a folder, or s3://",
    },
    {
      name: "credentials in the endpoint",
      parameters: ["--to", "s3://scores", "--endpoint", "https://me:hush@s3.example.org"],
      says: "--endpoint takes an http or https address",
    },
    {
      name: "an endpoint of a folder",
      parameters: ["--to", "www", "--endpoint", "http://localhost"],
      says: "are for s3://",
    },
    {
      name: "researchers without pages",
      parameters: ["--to", "s3://scores", "--include-researchers"],
      says: "--include-researchers is for --pages in a bucket",
    },
    {
      name: "researchers in a folder",
      parameters: ["--to", "www", "--pages", "--include-researchers"],
      says: "--include-researchers is for --pages in a bucket",
    },
    { name: "too many at once", parameters: ["--to", "www", "--parallel", "65"], says: "from 1 to 64" },
  ];

  test.each(USAGE)("wrong usage: $name", async ({ parameters, says }) => {
    const thrown = await thrownBy(parameters);
    expect(thrown).toMatchObject({ message: expect.stringContaining(says) });
    expect(thrown).toSatisfy((error) => error instanceof UsageError || String(error.code).startsWith("commander."));
    expect(String(thrown)).not.toContain("hush");
  });

  test("wrong usage: the store itself, in one line and with exit code 2", async () => {
    const { root } = worldOf().store;
    const { exitCode, stderr } = await runCommand(["release", "publish", "--to", `${root}/../store`, "--store", root]);
    expect({ exitCode, lines: stderr.trimEnd().split("\n") }).toEqual({
      exitCode: 2,
      lines: [expect.stringContaining("share-release release activate")],
    });
  });

  test.each([
    ["s3://scores", { bucket: "scores", prefix: "" }],
    ["s3://scores/", { bucket: "scores", prefix: "" }],
    ["s3://scores/a/b.c", { bucket: "scores", prefix: "a/b.c/" }],
    ["s3://scores/a/", { bucket: "scores", prefix: "a/" }],
    ["s3://scores//a", null],
    ["s3://scores/../a", null],
    ["s3://scores/a b", null],
    ["s3://Scores", null],
    ["s3://", null],
  ])("the address %s", (text, address) => {
    expect(s3Address(text)).toEqual(address);
  });
}
