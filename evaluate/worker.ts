/** The part of an evaluation that a worker process does: everything that looks into what a stranger wrote. It asks nobody itself. */

import { userAgent } from "../pipeline/1-harvest/asking/user-agent.ts";
import { OneRecordService } from "../pipeline/1-harvest/walking/one-record.ts";
import type { Source } from "../pipeline/sources/adapter/source.ts";
import { sourceNamed } from "../pipeline/sources/index.ts";
import { NoDraft } from "./draft.ts";
import type { Evaluation } from "./evaluation.ts";
import { EvaluationError } from "./evaluation-error.ts";
import { type Given, obtain } from "./obtain.ts";
import { agencyOf, DOI_ORG } from "./registration-agency.ts";
import { ONE_RECORD_LIMITS } from "./request-limits.ts";
import { Retold } from "./retold.ts";
import { givenDraft, Scorer, shownDraft } from "./scorer.ts";
import { LONGEST_EVALUATION, type StepAnswer, type StepTask } from "./told.ts";

/** Rates are kept where the requests are sent, over all workers. */
const UNPACED = { requests: 1_000_000_000, seconds: 1 };

let opening: Promise<Scorer> | null = null;

function scorer(): Promise<Scorer> {
  opening ??= Scorer.open();
  return opening;
}

export async function work(task: StepTask): Promise<StepAnswer> {
  switch (task.kind) {
    case "open":
      await scorer();
      return { kind: "ready" };
    case "evaluate":
      return evaluate(task);
    case "draft":
      return draft(task);
    default:
      return task satisfies never;
  }
}

async function evaluate(task: Extract<StepTask, { kind: "evaluate" }>): Promise<StepAnswer> {
  const world = new Retold(task.told, task);
  const ending = obtain(task.identifier, servicesIn(world, task.options)).then(
    (given) => scored(given, task.asOf),
    (error: unknown) => faultOf(error),
  );
  return Promise.race([world.needed, ending]);
}

async function draft({ source: name, file, asOf }: Extract<StepTask, { kind: "draft" }>): Promise<StepAnswer> {
  const source = sourceNamed(name);
  if (source === null) throw new Error(`there is no source called ${name}`);
  try {
    const { given, named } = await givenDraft(source, file);
    return await scored(given, asOf, (evaluation) => shownDraft(evaluation, named));
  } catch (error) {
    if (error instanceof NoDraft) return { kind: "no-draft", message: error.message.slice(0, 1000) };
    throw error;
  }
}

async function scored(
  given: Given,
  asOf: string,
  shown: (evaluation: Evaluation) => Evaluation = (evaluation) => evaluation,
): Promise<StepAnswer> {
  const opened = await scorer();
  const one = await opened.score(given, asOf);
  // Who is withheld is decided where it is known.
  const how = { asOf, isWithheld: () => false };
  const evaluations = Object.fromEntries(
    opened.contracts.map((id) => [id, JSON.stringify(shown(opened.explain(one, id, how)))]),
  );
  if (Object.values(evaluations).some(({ length }) => length > LONGEST_EVALUATION)) {
    const message = `${given.source} gave a record whose evaluation would be longer than ${LONGEST_EVALUATION} characters`;
    return { kind: "fault", code: "source-unreachable", message, retryAfter: 600 };
  }
  return { kind: "scored", evaluations, researcherIds: [...one.researcherIds] };
}

function faultOf(error: unknown): StepAnswer {
  if (!(error instanceof EvaluationError)) throw error;
  return { kind: "fault", code: error.code, message: error.message.slice(0, 1000), retryAfter: error.retryAfter };
}

function servicesIn(
  world: Retold,
  { contact, upstreams, timeoutMs }: Extract<StepTask, { kind: "evaluate" }>["options"],
) {
  const services = new Map<string, OneRecordService>();
  const service = (source: Source) => {
    const known = services.get(source.name);
    if (known !== undefined) return known;
    const base = upstreams[source.name] ?? source.walk.base;
    const options = {
      base,
      contact,
      allowPrivate: base !== source.walk.base,
      limits: { ...ONE_RECORD_LIMITS, timeoutMs },
    };
    const service = new OneRecordService({ ...source, rate: UNPACED }, options, world.effects(source.name));
    services.set(source.name, service);
    return service;
  };
  const agency = { base: upstreams["doi.org"] ?? DOI_ORG, agent: userAgent(contact), timeoutMs };
  return {
    recordOf: (source: Source, sourceId: string) => service(source).byId(sourceId),
    agencyOf: (doi: string) => agencyOf(doi, agency, world.effects("doi.org")),
  };
}
