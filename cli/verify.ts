/** share-release verify: does a release hold what its receipt says? */

import type { Command } from "commander";
import { currentDigest, findDigest } from "../pipeline/releases.ts";
import { verify } from "../pipeline/verify.ts";
import { withEffects } from "./effects.ts";
import { FAILED, UsageError } from "./exit-codes.ts";
import { command, type SharedOptions, storeOf, threadsOption } from "./shared.ts";

interface VerifyOptions extends SharedOptions {
  readonly threads: number;
  readonly rescore?: true;
}

export function verifyCommand(): Command {
  return command("verify", "re-hash a release and check every invariant of its scores", [
    "verify",
    "verify sha256:3f9c --rescore",
  ])
    .argument("[digest]", "a release; the active one if not given")
    .option("--rescore", "score the published evidence again and compare every mask")
    .addOption(threadsOption)
    .action(async (digest: string | undefined, options: VerifyOptions) => {
      const store = storeOf(options);
      const wanted = digest === undefined ? await currentDigest(store) : await findDigest(store, digest);
      if (wanted === null)
        throw new UsageError(`no release is active in ${store.root}; make one with \`share-release build\``);
      const settings = { threads: options.threads, memory: "512MB", rescore: options.rescore === true };
      const result = await withEffects((effects) => verify(store, wanted, settings, effects));
      if (options.json) {
        for (const finding of result.findings) process.stdout.write(`${JSON.stringify(finding)}\n`);
        process.stdout.write(`${JSON.stringify({ ...result, findings: result.findings.length })}\n`);
      } else {
        for (const finding of result.findings) process.stdout.write(`${finding.check}: ${finding.detail}\n`);
        const verdict = result.findings.length === 0 ? "holds" : `does not hold: ${result.findings.length} findings`;
        process.stdout.write(
          `${result.releaseDigest} ${verdict} (${result.files} files, ${result.bytes} bytes, ${result.scores} scores)\n`,
        );
      }
      if (result.findings.length > 0) process.exitCode = FAILED;
    });
}
