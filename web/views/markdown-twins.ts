/** Markdown twins of pages for language models: datasets and signals, and the list of all twins. */

import type { RecordDetail } from "../../schemas/public/api/record.ts";
import type { RubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { EVIDENCE } from "../../schemas/public/evidence.ts";
import type { SiteState } from "../components/document.ts";
import { underVersion } from "../components/navigation.ts";
import { BUCKET_NAMES, STATE_WORDS } from "../components/words.ts";
import { bullets, markdownDocument, plain, quoted, UNTRUSTED, UNTRUSTED_NOTE } from "../markdown.ts";

type SignalResult = RecordDetail["signals"][number];
type Signal = RubricDescriptor["signals"][number];

const FACTS: ReadonlyMap<string, string> = new Map(EVIDENCE.map(({ name, fact }) => [name, fact]));

/** `questions` has the question of each signal by id. */
export function datasetMarkdown(
  record: RecordDetail,
  version: string,
  questions: ReadonlyMap<string, string>,
  { origin, release }: SiteState,
): string {
  const { id, identifier, doi, title, repository, signals } = record;
  const untrusted = (name: string, text: string | null) =>
    text === null ? null : `${name} ${UNTRUSTED}: ${quoted(text)}`;
  return markdownDocument(
    `# SHARE score of the dataset ${id}`,
    `> ${totalText(record, version)}`,
    release?.retraction == null
      ? null
      : `**Release ${plain(release.version)} was retracted:** ${plain(release.retraction.reason)}`,
    UNTRUSTED_NOTE,
    bullets([
      untrusted("Title", title),
      untrusted("DOI", doi),
      untrusted("Identifier", identifier),
      untrusted("Repository", repository),
      release === null ? null : `Release: ${release.version}, as of ${release.asOf}`,
      `Page: ${origin}${underVersion(`/datasets/${id}`, version)}`,
      `JSON: ${origin}${underVersion(`/records/${id}`, version)}`,
    ]),
    "## The 25 signals",
    ...signals.map((signal) => signalOfDataset(signal, questions.get(signal.id) ?? null)),
  );
}

function totalText({ score, scoreStatus, cap, range }: RecordDetail, version: string): string {
  if (score === null) {
    const why = scoreStatus === "failed" ? "the record could not be read" : "too few signals could be judged";
    return `No total under SHARE ${version}: ${why}. This says nothing about the dataset.`;
  }
  const possible =
    range === null || range.least === range.most
      ? ""
      : ` If the unknown signals were known, the total would be ${range.least} to ${range.most}.`;
  return `Total ${score.total} of ${cap} possible points, under SHARE ${version}.${possible}`;
}

function signalOfDataset(
  { id, name, state, points, field, evidence, advice }: SignalResult,
  question: string | null,
): string {
  return markdownDocument(
    `### ${id} ${name}: ${state}`,
    bullets([
      question === null ? null : `Question: ${plain(question)}`,
      `Result: ${STATE_WORDS[state].word}, ${points} points. ${STATE_WORDS[state].meaning}`,
      ...Object.entries(evidence).map(([column, value]) => seen(FACTS.get(column) ?? column, value)),
      field === null ? null : `Field: ${quoted(field)}`,
      advice === null ? null : `Advice: ${plain(advice)}`,
    ]),
  ).trimEnd();
}

function seen(fact: string, value: SignalResult["evidence"][string]): string {
  if (typeof value === "string") return `Seen, ${plain(fact)} ${UNTRUSTED}: ${quoted(value)}`;
  return `Seen, ${plain(fact)}: ${value === null ? "not known" : typeof value === "boolean" ? (value ? "yes" : "no") : value}`;
}

export function signalsMarkdown({ version, contract, summary, signals, buckets, states }: RubricDescriptor): string {
  return markdownDocument(
    `# The 25 signals of SHARE ${version}`,
    `> A score has 25 questions of four points each. ${plain(summary)}`,
    `Contract: ${contract}`,
    ...buckets.flatMap(({ id, question, description }) => [
      `## ${BUCKET_NAMES[id]}`,
      plain(`${question} ${description}`),
      bullets(signals.filter(({ bucket }) => bucket === id).map((signal) => signalLink(signal, "", version))),
    ]),
    "## States",
    bullets(states.map(({ state, meaning }) => `\`${state}\`: ${plain(meaning)}`)),
  );
}

function signalLink({ id, name, question }: Signal, origin: string, version: string): string {
  return `[${id} ${plain(name)}](${origin}${underVersion(`/signals/${id}.md`, version)}): ${plain(question)}`;
}

/** A source, and how its datasets pass a signal or why they cannot. */
export interface SourceOfSignal {
  readonly name: string;
  readonly supported: boolean;
  readonly words: string;
}

export function signalMarkdown(rubric: RubricDescriptor, signal: Signal, sources: readonly SourceOfSignal[]): string {
  const { id, name, question, rationale, advice, rule, needs, fair } = signal;
  return markdownDocument(
    `# ${id} ${plain(name)}`,
    `> ${plain(question)}`,
    `Part of ${BUCKET_NAMES[signal.bucket]} in SHARE ${rubric.version}, contract ${rubric.contract}. Supports the FAIR principle ${fair}.`,
    "## Why",
    plain(rationale),
    "## How to pass it",
    plain(advice),
    "## In each source",
    bullets(
      sources.map(
        ({ name: source, supported, words }) => `${plain(source)}: ${supported ? "Yes." : "No."} ${plain(words)}`,
      ),
    ),
    "## Rule",
    `A dataset passes if ${quoted(rule)} is true. The rule uses these facts:`,
    bullets(
      EVIDENCE.filter((column) => needs.some((each) => each === column.name)).map(
        (column) => `\`${column.name}\`: ${plain(column.fact)}`,
      ),
    ),
  );
}

/** Returns `/llms.txt` (llmstxt.org). `reference` has the pages of the API reference: last segment, title and subject. */
export function llmsText(
  { version, signals }: RubricDescriptor,
  reference: readonly { readonly name: string; readonly title: string; readonly description: string }[],
  origin: string,
): string {
  const link = (path: string, name: string, notes: string) => `[${name}](${origin}${path}): ${plain(notes)}`;
  return markdownDocument(
    "# SHARE",
    "> SHARE scores how well research datasets are shared, from 0 to 100: 25 yes-or-no signals about their metadata, with the evidence for each.",
    `A total that is null is unknown, never zero. Add \`.md\` to the URL of a page below to get it as Markdown, or send \`Accept: text/markdown\`. ${UNTRUSTED_NOTE}`,
    "## API",
    bullets([
      link("/openapi.json", "OpenAPI description", "every endpoint, with schemas and examples"),
      link("/docs.md", "API reference", "the tasks and pages of the reference"),
      ...reference.map(({ name, title, description }) => link(`/docs/${name}.md`, title, description)),
    ]),
    "## Datasets",
    bullets([
      link("/records", "Datasets as JSON", "search, filter and sort; each row has an id"),
      `Each dataset as Markdown: ${origin}/datasets/{id}.md, with the id of its row`,
    ]),
    "## Signals",
    bullets([
      link("/signals.md", "All signals", `the 25 questions of SHARE ${version}`),
      ...signals.map((signal) => signalLink(signal, origin, version)),
    ]),
    "## Optional",
    bullets([
      link("/releases", "Releases", "immutable folders with all scores, as JSON"),
      link("/sitemap.xml", "Sitemap", "every dataset and repository"),
    ]),
  );
}
