/** share-release signing-keys forget: what a mirror was told of keys by somebody who was not the publisher. */

import type { Command } from "commander";
import {
  type Forgotten,
  forgetStatements,
  type ToldStatement,
  toldStatements,
} from "../../../operations/signing-keys/forget.ts";
import { LONGEST_REASON } from "../../../schemas/public/retraction.ts";
import { clocked } from "../../options/effects.ts";
import { existingStoreOf } from "../../options/existing-store.ts";
import { UsageError } from "../../options/exit-codes.ts";
import { command, printResult, type SharedOptions } from "../../options/shared.ts";
import { statedReason } from "./stated-reason.ts";

export function forgetCommand(): Command {
  return command("forget", "forget what this store was told of keys, from one statement on; of a mirror alone", [
    "signing-keys forget",
    'signing-keys forget sha256:3f9c --reason "The publisher says by telephone that it is not theirs."',
  ])
    .argument("[statement]", "the first one to forget, or enough of its digest; without it all are listed")
    .option("--reason <text>", `why, for who reads the journal: one line, ${LONGEST_REASON} characters`, statedReason)
    .action(async (from: string | undefined, own: { readonly reason?: string }, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const store = existingStoreOf(options);
      if (from === undefined) {
        const statements = await toldStatements(store);
        return printResult(options, { statements }, () => toldText(statements));
      }
      if (own.reason === undefined) throw new UsageError("forgetting takes a --reason, which the journal keeps");
      const forgotten = await forgetStatements(store, { from, reason: own.reason }, clocked());
      printResult(options, { ...forgotten, reason: own.reason }, forgottenText);
    });
}

function toldText(statements: readonly ToldStatement[]): string {
  return statements.length === 0 ? "nothing was said of any key" : statements.map(lineOf).join("\n");
}

function lineOf({ digest, kid, statement }: ToldStatement): string {
  if (statement === null) return `${digest}  on the key ${kid}; the journal alone knows of it`;
  return statement.statement === "rotated"
    ? `${digest}  the key ${kid} was replaced by ${statement.to.kid} at ${statement.at}`
    : `${digest}  the key ${kid} was revoked since ${statement.since}: ${statement.reason}`;
}

function forgottenText({ statements, keys }: Forgotten): string {
  return [
    ...statements.map((each) => `forgotten: ${lineOf(each)}`),
    ...keys.map((kid) => `the key ${kid} came by that alone and is trusted here no more`),
    "what was said of these keys counts here no more, a revocation included: `share-release fetch` the publisher's own account next, by an address that you trust",
  ].join("\n");
}
