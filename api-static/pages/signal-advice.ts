/** Advice on a signal that is not passed: a sentence, whose job it is, and what it takes. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import { formOf } from "../../schemas/public/form.ts";
import type { Pledge } from "../../schemas/public/pledge.ts";
import type { Rubric, Signal } from "../../schemas/public/rubric.ts";
import type { SignalState } from "../../schemas/public/signal.ts";
import { NOT_GIVEN } from "./not-given.ts";

export type SignalAdvice = Pick<RecordDetail["signals"][number], "advice" | "adviceFor" | "effort">;

const NONE: SignalAdvice = { advice: null, adviceFor: null, effort: null };

/** Only `absent` speaks against a dataset, and only there is something to do; what is not known is asked. */
export function adviceOn(
  signal: Signal,
  state: SignalState,
  evidence: Readonly<Partial<Evidence>> | null,
  { pledge, contract }: { readonly pledge: Pledge; readonly contract: Rubric },
): SignalAdvice {
  const pledged = pledge.contracts[contract.contract][signal.id];
  if (pledged?.supported !== true || state === "passed" || state === "unsupported") return NONE;
  const form = formOf(pledge.forms, signal);
  const who = form?.who ?? null;
  if (state === "absent") return { advice: pledged.advice, adviceFor: who, effort: form?.effort ?? null };
  const advice = `${reason(signal, state, evidence)}, so this could not be judged: ${asked(signal.question)}`;
  return { advice, adviceFor: who, effort: null };
}

function reason(
  { needs, notEvaluableWhen }: Signal,
  state: "source_missing" | "not_evaluable" | "failed",
  evidence: Readonly<Partial<Evidence>> | null,
): string {
  switch (state) {
    case "source_missing":
      return NOT_GIVEN[missing(needs, evidence)];
    case "failed":
      return evidence === null ? "The payload could not be read" : "What was given here could not be read";
    case "not_evaluable":
      return notEvaluableWhen?.includes("person_creator_count") === true
        ? "No person is named among the creators"
        : "The files are hidden by access or embargo";
    default:
      return state satisfies never;
  }
}

/** The first column that the payload does not carry: a signal of which none is missing would have been judged. */
function missing(needs: readonly EvidenceName[], evidence: Readonly<Partial<Evidence>> | null): EvidenceName {
  const column = needs.find((name) => (evidence?.[name] ?? null) === null) ?? needs[0];
  if (column === undefined) throw new Error("a signal needs at least one column");
  return column;
}

/** A question of the contract, inside a sentence. */
function asked(question: string): string {
  return question.charAt(0).toLowerCase() + question.slice(1);
}
