/** share-release rollback: back to the release that was active before. */

import type { Command } from "commander";
import { rollback } from "../../releases/rollback.ts";
import { clocked } from "../options/effects.ts";
import { existingStoreOf } from "../options/existing-store.ts";
import { command, printResult, type SharedOptions } from "../options/shared.ts";

export function rollbackCommand(): Command {
  return command("rollback", "make the release active again that was active before; again, the one before that", [
    "rollback",
    "rollback --json",
  ]).action(async (options: SharedOptions) => {
    const { from, releaseDigest, skipped, retracted, disowned } = await rollback(existingStoreOf(options), clocked());
    printResult(options, { activated: releaseDigest, from, skipped, retracted, disowned }, (result) =>
      [
        ...result.skipped.map((digest) => `${digest} was active in between, and is gone`),
        ...result.retracted.map((digest) => `${digest} was active in between, and was retracted`),
        ...result.disowned.map((digest) => `${digest} was active in between, and is by a revoked key`),
        `${result.activated} is active again, instead of ${result.from ?? "none"}`,
      ].join("\n"),
    );
  });
}
