/**
 * Reads and checks the pledges of the sources: a pledge says which evidence a source can contain. Each one is read only
 * once.
 */

import { z } from "zod";
import { type EvidenceName, evidenceName } from "../../schemas/public/evidence.ts";
import { form } from "../../schemas/public/form.ts";
import { type Pledge, type PledgedSignal, pledge, type ReleasedPledge } from "../../schemas/public/pledge.ts";
import type { Rubric, Signal } from "../../schemas/public/rubric.ts";
import { SIGNAL_IDS } from "../../schemas/public/signal.ts";
import { asObject, asText } from "../reading/reader.ts";
import { parseXmlFragment, XmlError } from "../reading/xml.ts";
import { readContracts } from "../rubrics/contracts.ts";
import { hasAlternatives } from "../rubrics/predicates.ts";
import { before } from "../vocabularies/ends.ts";
import type { Source } from "./adapter/source.ts";
import { SOURCES, sourceNamed } from "./index.ts";

const pledges = new Map<string, Pledge>();

export function readPledges(): ReadonlyMap<string, Pledge> {
  return new Map(SOURCES.map((source) => [source.name, readPledge(source)]));
}

/** Returns the names of all sources, for people. */
export function sourceNames(): ReadonlyMap<string, string> {
  return new Map(SOURCES.map((source) => [source.name, readPledge(source).name]));
}

/** Returns the public name of a source. Returns any other service name unchanged. */
export function getPublicName(service: string): string {
  const source = sourceNamed(service);
  return source === null ? service : readPledge(source).name;
}

/** Reads the pledge of a source. Each pledge is read only once. */
export function readPledge({ name, pledge: stated }: Source): Pledge {
  const known = pledges.get(name);
  if (known !== undefined) return known;
  const read = derivePledge(pledgeFile.parse(stated), [...readContracts().values()]);
  pledges.set(name, read);
  return read;
}

/**
 * Returns a mask of the signals that a source supports under a contract.
 * @throws Error if the pledge is older than the contract, and does not cover it
 */
export function supportedMask({ source, contracts }: ReleasedPledge, contract: string): number {
  const signals = contracts[contract];
  if (signals === undefined)
    throw new Error(
      `the pledge of ${source} does not cover the contract ${contract}; build the release again with this version`,
    );
  return SIGNAL_IDS.reduce((mask, id, bit) => (signals[id]?.supported ? mask | (1 << bit) : mask), 0);
}

/**
 * Derives the published pledge from a pledge file.
 * @throws Error if the file lacks a column that a signal needs
 */
export function derivePledge(
  { columns, unsupported, signals, ...head }: PledgeFile,
  contracts: readonly Rubric[],
): Pledge {
  const stated = { source: head.source, neverCarries: new Set(head.neverCarries), columns, unsupported, signals };
  const pledged = contracts.map((contract) => [
    contract.contract,
    Object.fromEntries(contract.signals.map((signal) => [signal.id, pledgedSignal(signal, contract, stated)])),
  ]);
  const forms = Object.entries(columns).flatMap(([name, { form }]) => (form === undefined ? [] : [[name, form]]));
  return pledge.parse({ ...head, contracts: Object.fromEntries(pledged), forms: Object.fromEntries(forms) });
}

interface CarriedColumns extends Pick<PledgeFile, "source" | "columns" | "unsupported" | "signals"> {
  readonly neverCarries: ReadonlySet<EvidenceName>;
}

/**
 * Returns the pledge for a signal. The signal is supported if the source carries every column that the signal needs, or
 * at least one of them if the rule of the signal has an `or`.
 */
function pledgedSignal(signal: Signal, { contract }: Rubric, stated: CarriedColumns): PledgedSignal {
  const { source, neverCarries, columns, unsupported, signals } = stated;
  const more = { ...signals[signal.key], ...signals[`${contract} ${signal.key}`] };
  const lacking = signal.needs.filter((name) => neverCarries.has(name) || unsupported.has(name));
  const carried = signal.needs.filter((name) => !lacking.includes(name)).flatMap((name) => columns[name] ?? []);
  const required = <T>(text: T | undefined): T => {
    if (text !== undefined && text !== "") return text;
    throw new Error(
      `the pledge of ${source} has no text about ${signal.needs.join(", ")} for ${contract} ${signal.id}; add to pledge.json a field with advice, or the reason why the source has none`,
    );
  };
  if (hasAlternatives(signal) ? lacking.length === signal.needs.length : lacking.length > 0) {
    return { supported: false, why: required(more.why ?? findFirst(lacking, (name) => unsupported.get(name))) };
  }
  const fields = carried.flatMap(({ field }) => field?.split(", ") ?? []);
  return {
    supported: true,
    field: required(more.field ?? [...new Set(fields)].join(", ")),
    advice: required(more.advice ?? findFirst(carried, ({ advice }) => adviceFor(advice, readThreshold(signal)))),
  };
}

function findFirst<T, U>(list: readonly T[], of: (entry: T) => U | undefined): U | undefined {
  return list.map(of).find((found) => found !== undefined);
}

/**
 * Returns the number that a column must reach in a rule with one column, such as 3 in `keyword_count >= 3`; 1 for other
 * rules.
 */
function readThreshold({ rule }: Signal): number {
  return Number(/^\w+ >= (\d+)$/.exec(rule)?.[1] ?? 1);
}

const NUMBER_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function adviceFor(stated: AdviceTexts | undefined, least: number): string | undefined {
  const texts = typeof stated === "string" ? { 1: stated } : (stated ?? {});
  const from = Math.max(
    ...Object.keys(texts)
      .map(Number)
      .filter((number) => number <= least),
  );
  return texts[from]?.replaceAll("{number}", NUMBER_WORDS[least] ?? String(least));
}

/**
 * Advice for a column: one sentence, or sentences by threshold. In the second form, the keys are numbers, and the
 * sentence with the largest key up to the threshold of the rule applies. `{number}` stands for the threshold.
 */
const advice = z.union([z.string().min(1), z.record(z.string().regex(/^\d+$/), z.string().min(1))]);
type AdviceTexts = z.infer<typeof advice>;

/** Reads a form entry. The file may leave out fields that are null. */
const formEntry = z.preprocess(
  (stated) => ({ label: null, effort: null, page: null, checked: null, ...z.looseObject({}).parse(stated) }),
  form,
);

const column = z.strictObject({
  /** The field of the payload with the value of this column. It may be left out if `signals` names a field for each signal that needs the column. */
  field: z.string().min(1).optional(),
  advice: advice.optional(),
  form: formEntry.optional(),
});

/**
 * Reasons why columns are not supported. A key is the name of a column, or several names, such as `file_count,
 * code_file_count`.
 */
const unsupported = z.record(z.string(), z.string().min(1)).transform((stated, context) => {
  const why = new Map<EvidenceName, string>();
  for (const [names, reason] of Object.entries(stated)) {
    for (const name of names.split(", ")) {
      const known = evidenceName.safeParse(name).data;
      if (known === undefined)
        context.addIssue({
          code: "custom",
          message: `there is no evidence column ${name}; use a column of schemas/public/evidence.ts, such as file_count`,
        });
      else why.set(known, reason);
    }
  }
  return why;
});

export const pledgeFile = z.strictObject({
  ...pledge.omit({ contracts: true, forms: true }).shape,
  columns: z.partialRecord(evidenceName, column),
  /** Columns that no signal may use, with the reason: the source can never carry them, or their values would mislead. */
  unsupported,
  /**
   * Field, advice or reason for a signal, if those of its columns do not suffice. The key is the key of the signal,
   * such as `contributor_pid`, or the id of a contract, a space and this key for an entry that only applies to this
   * contract.
   */
  signals: z.record(
    z.string(),
    z.strictObject({
      field: z.string().min(1).optional(),
      advice: z.string().min(1).optional(),
      why: z.string().min(1).optional(),
    }),
  ),
});
type PledgeFile = z.infer<typeof pledgeFile>;

/**
 * Largest number of levels at which a field is searched below the field before it in a path. A path in a pledge can
 * skip objects that only wrap others.
 */
const MAX_DEPTH = 6;

/** Largest number of values that are read from one field. */
const MAX_VALUES = 1000;

/** Returns the paths in the field of a pledge, such as `a.b[].c, d/e`, with the texts of the payload at each path. */
export function pledgedValues(field: string, payload: unknown): { readonly path: string; readonly values: string[] }[] {
  return field.split(",").map((part) => {
    const path = part.trim();
    return { path, values: valuesAt(path, payload) };
  });
}

function valuesAt(path: string, payload: unknown): string[] {
  // Explanations such as "of /nodes/{id}/files" and "[pubmed]" are removed. Brackets and stars mark lists.
  const names = before(path, " of ")
    .replace(/\[[^\]]*\]|\*|\\?"/g, "")
    .split(/[./]/)
    .filter((name) => name !== "");
  let here: readonly unknown[] = [payload];
  for (const name of names) here = here.flatMap((value) => below(value, name)).slice(0, MAX_VALUES);
  return here.flatMap(listTexts).slice(0, MAX_VALUES);
}

/** Returns the values of all fields called `name` at the highest level that has such a field. */
function below(value: unknown, name: string): readonly unknown[] {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const flat = level.flatMap(unpack).slice(0, 10 * MAX_VALUES);
    const found = flat.flatMap((each) => valuesNamed(each, name));
    if (found.length > 0) return found;
    level = flat.flatMap((each) => Object.values(asObject(each) ?? {}));
  }
  return [];
}

/** Returns the elements of a value: those of a list, or the parsed document if it is XML text. */
function unpack(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(unpack);
  if (typeof value !== "string" || !/^\s*</.test(value)) return [value];
  try {
    return [parseXmlFragment(value)];
  } catch (error) {
    if (error instanceof XmlError) return [];
    throw error;
  }
}

/** Returns the values of a field: directly, or from an entry of the form `{"typeName": …, "value": …}`. */
function valuesNamed(value: unknown, name: string): readonly unknown[] {
  const object = asObject(value);
  if (object === null) return [];
  if (Object.hasOwn(object, name)) return [object[name]];
  return object.typeName === name ? [object.value] : [];
}

function listTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(listTexts);
  if (typeof value === "boolean") return [String(value)];
  const object = asObject(value);
  const text = asText(object === null ? value : (object.value ?? object["#text"]));
  if (text !== null) return [text];
  const keys = Object.keys(object ?? {});
  return keys.length === 0 ? [] : [`{${keys.join(", ")}}`];
}
