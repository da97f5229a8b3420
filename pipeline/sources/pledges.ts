/** The pledges of all sources, read and checked once. */

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type EvidenceName, evidenceName } from "../../schemas/public/evidence.ts";
import { form } from "../../schemas/public/form.ts";
import { type Pledge, type PledgedSignal, pledge, type ReleasedPledge } from "../../schemas/public/pledge.ts";
import type { Rubric, Signal } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { canonicalJson } from "../files/canonical-json.ts";
import { asObject, asText } from "../reading/reader.ts";
import { parseXmlFragment, XmlError } from "../reading/xml.ts";
import { alternatives, readContracts } from "../rubrics/contracts.ts";
import { before } from "../vocabularies/ends.ts";
import { SOURCES } from "./index.ts";

let pledges: Promise<ReadonlyMap<string, Pledge>> | undefined;

/** Pledge by source name. */
export function readPledges(): Promise<ReadonlyMap<string, Pledge>> {
  pledges ??= Promise.all(SOURCES.map(async ({ name }) => [name, await readPledge(name)] as const)).then(
    (entries) => new Map(entries),
  );
  return pledges;
}

async function readPledge(source: string): Promise<Pledge> {
  const text = await readFile(new URL(`./${source}/pledge.json`, import.meta.url), "utf8");
  return pledgeOf(statedPledge.parse(JSON.parse(text)), [...(await readContracts()).values()]);
}

/** sha256 of a pledge's canonical JSON. */
export function pledgeDigest(pledge: ReleasedPledge): string {
  return `sha256:${hash("sha256", canonicalJson(pledge))}`;
}

/**
 * The signals a source pledges under a contract, as a mask.
 * @throws Error if the pledge does not answer for that contract: a later version than the pledge's added it
 */
export function supportedMask({ source, contracts }: ReleasedPledge, contract: string): number {
  const signals = contracts[contract];
  if (signals === undefined) throw new Error(`the pledge of ${source} does not answer for the contract ${contract}`);
  return SIGNAL_IDS.reduce((mask, id, bit) => (signals[id]?.supported ? mask | (1 << bit) : mask), 0);
}

/** @throws Error where the file says nothing of a column that a signal rests on */
export function pledgeOf(
  { columns, unsupported, signals, ...head }: StatedPledge,
  contracts: readonly Rubric[],
): Pledge {
  const stated = { source: head.source, neverCarries: new Set(head.neverCarries), columns, unsupported, signals };
  const answers = contracts.map((contract) => [
    contract.contract,
    Object.fromEntries(contract.signals.map((signal) => [signal.id, answerTo(signal, contract, stated)])),
  ]);
  const forms = Object.entries(columns).flatMap(([name, { form }]) => (form === undefined ? [] : [[name, form]]));
  return pledge.parse({ ...head, contracts: Object.fromEntries(answers), forms: Object.fromEntries(forms) });
}

interface Stated extends Pick<StatedPledge, "source" | "columns" | "unsupported" | "signals"> {
  readonly neverCarries: ReadonlySet<EvidenceName>;
}

/** A signal is supported where each column it needs is carried, or one of them where its rule has an `or`. */
function answerTo(signal: Signal, { contract }: Rubric, stated: Stated): PledgedSignal {
  const { source, neverCarries, columns, unsupported, signals } = stated;
  const more = { ...signals[signal.key], ...signals[`${contract} ${signal.key}`] };
  const lacking = signal.needs.filter((name) => neverCarries.has(name) || unsupported.has(name));
  const carried = signal.needs.filter((name) => !lacking.includes(name)).flatMap((name) => columns[name] ?? []);
  const said = <T>(text: T | undefined): T => {
    if (text !== undefined && text !== "") return text;
    throw new Error(
      `the pledge of ${source} says too little of ${signal.needs.join(", ")} for ${contract} ${signal.id}`,
    );
  };
  if (alternatives(signal) ? lacking.length === signal.needs.length : lacking.length > 0) {
    return { supported: false, why: said(more.why ?? firstOf(lacking, (name) => unsupported.get(name))) };
  }
  const fields = carried.flatMap(({ field }) => field?.split(", ") ?? []);
  return {
    supported: true,
    field: said(more.field ?? [...new Set(fields)].join(", ")),
    advice: said(more.advice ?? firstOf(carried, ({ advice }) => adviceFor(advice, leastOf(signal)))),
  };
}

function firstOf<T, U>(list: readonly T[], of: (entry: T) => U | undefined): U | undefined {
  return list.map(of).find((found) => found !== undefined);
}

/** The number that a rule over one column asks for; 1 where it asks for no number. */
function leastOf({ rule }: Signal): number {
  return Number(/^\w+ >= (\d+)$/.exec(rule)?.[1] ?? 1);
}

const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function adviceFor(stated: StatedAdvice | undefined, least: number): string | undefined {
  const texts = typeof stated === "string" ? { 1: stated } : (stated ?? {});
  const from = Math.max(
    ...Object.keys(texts)
      .map(Number)
      .filter((number) => number <= least),
  );
  return texts[from]?.replaceAll("{number}", WORDS[least] ?? String(least));
}

/**
 * One sentence, or one for each least number that a rule may ask for: that of the greatest which is not above it holds.
 * `{number}` stands for the number itself.
 */
const advice = z.union([z.string().min(1), z.record(z.string().regex(/^\d+$/), z.string().min(1))]);
type StatedAdvice = z.infer<typeof advice>;

/** A form as it is published; what it has not is left out of the file. */
const statedForm = z.preprocess(
  (stated) => ({ label: null, effort: null, page: null, checked: null, ...z.looseObject({}).parse(stated) }),
  form,
);

const column = z.strictObject({
  /** Where the payload has it; left out where nothing is said of the column but together with others. */
  field: z.string().min(1).optional(),
  advice: advice.optional(),
  form: statedForm.optional(),
});

/** By the columns it stands for, as `file_count, code_file_count`. */
const unsupported = z.record(z.string(), z.string().min(1)).transform((stated, context) => {
  const why = new Map<EvidenceName, string>();
  for (const [names, reason] of Object.entries(stated)) {
    for (const name of names.split(", ")) {
      const known = evidenceName.safeParse(name).data;
      if (known === undefined) context.addIssue({ code: "custom", message: `there is no column ${name}` });
      else why.set(known, reason);
    }
  }
  return why;
});

export const statedPledge = z.strictObject({
  ...pledge.omit({ contracts: true, forms: true }).shape,
  columns: z.partialRecord(evidenceName, column),
  /** Columns on which no signal can rest, with the reason: those never carried, and those that would mislead. */
  unsupported,
  /** Signals, by key or by contract and key, of which more is to be said than of their columns. */
  signals: z.record(
    z.string(),
    z.strictObject({
      field: z.string().min(1).optional(),
      advice: z.string().min(1).optional(),
      why: z.string().min(1).optional(),
    }),
  ),
});
type StatedPledge = z.infer<typeof statedPledge>;

/** How far below a place the next name of a path is looked for: pledges leave out what only wraps. */
const DEPTH = 6;

/** Values shown of one field. */
const MOST = 1000;

/** The places a pledge names, such as `a.b[].c, d/e`, each with the texts that stand there. */
export function pledgedValues(field: string, payload: unknown): { readonly path: string; readonly values: string[] }[] {
  return field.split(",").map((part) => {
    const path = part.trim();
    return { path, values: valuesAt(path, payload) };
  });
}

function valuesAt(path: string, payload: unknown): string[] {
  // "of /nodes/{id}/files" and "[pubmed]" tell people which; brackets and stars say that there are several.
  const names = before(path, " of ")
    .replace(/\[[^\]]*\]|\*|\\?"/g, "")
    .split(/[./]/)
    .filter((name) => name !== "");
  let here: readonly unknown[] = [payload];
  for (const name of names) here = here.flatMap((value) => below(value, name)).slice(0, MOST);
  return here.flatMap(textsOf).slice(0, MOST);
}

/** What is called so in the nearest level of a value that has anything of the name. */
function below(value: unknown, name: string): readonly unknown[] {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth < DEPTH && level.length > 0; depth++) {
    const flat = level.flatMap(unpacked).slice(0, 10 * MOST);
    const found = flat.flatMap((each) => named(each, name));
    if (found.length > 0) return found;
    level = flat.flatMap((each) => Object.values(asObject(each) ?? {}));
  }
  return [];
}

/** Lists as their elements; XML within text as what it says. */
function unpacked(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(unpacked);
  if (typeof value !== "string" || !/^\s*</.test(value)) return [value];
  try {
    return [parseXmlFragment(value)];
  } catch (error) {
    if (error instanceof XmlError) return [];
    throw error;
  }
}

/** A member, or where members are listed with their names (`{"typeName": …, "value": …}`) the value of one. */
function named(value: unknown, name: string): readonly unknown[] {
  const object = asObject(value);
  if (object === null) return [];
  if (Object.hasOwn(object, name)) return [object[name]];
  return object.typeName === name ? [object.value] : [];
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === "boolean") return [String(value)];
  const object = asObject(value);
  const text = asText(object === null ? value : (object.value ?? object["#text"]));
  if (text !== null) return [text];
  const keys = Object.keys(object ?? {});
  return keys.length === 0 ? [] : [`{${keys.join(", ")}}`];
}
