/** One record of a source, looked at: each signal's evidence beside what stands in the payload where the pledge says it looks. */

import type { Fetched } from "../../pipeline/1-harvest/index.ts";
import { parsePayload } from "../../pipeline/reading/normalised.ts";
import type { Source } from "../../pipeline/sources/adapter/source.ts";
import { pledgedValues } from "../../pipeline/sources/pledges.ts";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";
import type { Evidence, EvidenceName } from "../../schemas/public/evidence.ts";
import type { Pledge } from "../../schemas/public/pledge.ts";
import type { Rubric } from "../../schemas/public/rubric.ts";
import type { Paint } from "./terminal-text.ts";
import { shown, wrapped } from "./wrapped.ts";

/** One signal: what was read, from where, and what stands there. */
interface CheckedSignal {
  readonly signal: string;
  readonly name: string;
  /** The columns its rule needs. */
  readonly evidence: Partial<Evidence>;
  /** Columns that were there and could not be read. */
  readonly unreadable: readonly EvidenceName[];
  readonly fields: readonly { readonly path: string; readonly count: number; readonly values: readonly string[] }[];
  /** Why the source does not pledge it, or null. */
  readonly unsupported: string | null;
}

export interface SourceCheck {
  readonly source: string;
  readonly sourceId: string;
  readonly url: string;
  readonly retrievedAt: string;
  readonly contract: string;
  readonly outcome: "record" | "failed" | "tombstone" | "not_dataset" | "refused";
  /** Why it is no record with evidence, or null. */
  readonly reason: string | null;
  readonly title: string | null;
  readonly bytes: number;
  readonly signals: readonly CheckedSignal[];
}

interface CheckContext {
  readonly source: Source;
  readonly sourceId: string;
  readonly pledge: Pledge;
  readonly contract: Rubric;
  readonly asOf: string;
}

/** Values shown of one field. */
const SHOWN = 3;

/** The check of a fetched record under a contract. */
export async function checkRecord(fetched: Fetched, context: CheckContext): Promise<SourceCheck> {
  const { source, contract } = context;
  const { url, retrievedAt } = fetched;
  // Some ids have several spellings, and the record has its own.
  const sourceId = fetched.kind === "record" ? fetched.record.sourceId : context.sourceId;
  const common = { source: source.name, sourceId, url, retrievedAt, contract: contract.contract };
  if (fetched.kind === "refused") {
    const { reason, detail } = fetched.objection;
    return { ...common, outcome: "refused", reason: `${reason}: ${detail}`, title: null, bytes: 0, signals: [] };
  }
  const bytes = fetched.kind === "gone" ? 0 : fetched.record.bytes;
  const payload = fetched.kind === "gone" ? null : parsePayload(fetched.record.payload, source.xmlParts);
  const vocabularies = await loadVocabularies();
  const normalised = source.normalise(payload, sourceId, { asOf: context.asOf, vocabularies });
  if (normalised.outcome !== "record") {
    const { outcome, reason } = normalised;
    return { ...common, outcome, reason, title: null, bytes, signals: [] };
  }
  const { evidence, errors, fields } = normalised;
  const signals = contract.signals.map((signal): CheckedSignal => {
    const pledged = context.pledge.contracts[contract.contract][signal.id];
    const supported = pledged?.supported === true;
    return {
      signal: signal.id,
      name: signal.name,
      evidence: Object.fromEntries(signal.needs.map((column) => [column, evidence[column]])),
      unreadable: signal.needs.filter((column) => errors.has(column)),
      fields: supported ? pledgedValues(pledged.field, payload).map(summed) : [],
      unsupported: supported ? null : (pledged?.why ?? "not pledged"),
    };
  });
  return { ...common, outcome: "record", reason: null, title: fields.title, bytes, signals };
}

function summed({ path, values }: { readonly path: string; readonly values: readonly string[] }) {
  return { path, count: values.length, values: values.slice(0, SHOWN).map((value) => shown(value).slice(0, 200)) };
}

/** For people, at most 80 columns where words allow it. */
export function checkText(check: SourceCheck, paint: Paint): string {
  const { source, sourceId, url, bytes, contract, retrievedAt } = check;
  const head = [
    paint("bold", `${source}/${sourceId}`),
    ...(check.title === null ? [] : wrapped(shown(check.title), 80)),
    paint("dim", `${url} · ${bytes} bytes · ${retrievedAt.slice(0, 19)}Z · contract ${contract}`),
  ];
  if (check.outcome !== "record") return [...head, `${check.outcome}: ${shown(check.reason ?? "")}`].join("\n");
  return [...head, "", ...check.signals.flatMap((signal) => signalLines(signal, paint))].join("\n");
}

function signalLines(
  { signal, name, evidence, unreadable, fields, unsupported }: CheckedSignal,
  paint: Paint,
): string[] {
  const heading = `${signal} ${name}`;
  if (unsupported !== null) return [paint("dim", heading), ...indented(`not pledged: ${unsupported}`, paint)];
  const columns = Object.entries(evidence).map(([column, value]) => {
    const broken = unreadable.some((each) => each === column);
    return `${column} = ${broken ? "unreadable" : valueText(value)}`;
  });
  const found = Object.values(evidence).some(
    (value) => value !== null && value !== 0 && value !== false && value !== "",
  );
  return [
    `${paint(found ? "green" : "yellow", heading)}  ${columns.join(", ")}`,
    ...fields.flatMap(({ path, count, values }) => {
      const rest = count > values.length ? ` … ${count} in all` : "";
      return indented(count === 0 ? `${path}: –` : `${path}: ${values.map(quoted).join(", ")}${rest}`, paint);
    }),
  ];
}

function valueText(value: unknown): string {
  return value === null ? "not carried" : typeof value === "string" ? quoted(value) : String(value);
}

function quoted(text: string): string {
  return text.length > 60 ? `"${text.slice(0, 59)}…"` : `"${text}"`;
}

function indented(text: string, paint: Paint): string[] {
  return wrapped(shown(text), 74).map((line) => paint("dim", `   ${line}`));
}
