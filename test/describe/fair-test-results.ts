/** Shapes of documents with FAIR Test Results, and faults that tests put into valid documents, one at a time. */

import { z } from "zod";

const node = z.looseObject({ "@id": z.string() });
const iri = { "@id": "urn:somewhere:else" } as const;

const result = node.extend({
  title: z.string(),
  value: z.string(),
  log: z.string(),
  outputFromTest: node,
  suggestion: node.extend({ description: z.string() }),
});
export const resultSet = node.extend({
  assessmentTarget: node,
  wasGeneratedBy: node,
  hadMember: z.array(result),
  isScoredBy: node.extend({ value: z.unknown(), outputFromAlgorithm: node }).optional(),
});
export type ResultSet = z.infer<typeof resultSet>;

export const benchmark = node.extend({
  contactPoint: node,
  hasAssociatedMetric: z.array(node.extend({ hasImplementation: node })),
  hasImplementation: node.extend({ invokesTest: z.array(z.string()) }),
});
export type Benchmark = z.infer<typeof benchmark>;

interface Fault<Document> {
  readonly name: string;
  readonly breaks: (of: Document) => void;
}

const without = (from: object, name: string): void => void Reflect.deleteProperty(from, name);

function withValue({ hadMember }: ResultSet, value: string): z.infer<typeof result> {
  return existing(hadMember.find((each) => each.value === value));
}

function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the valid document lacks the part to break");
  return value;
}

const getScore = ({ isScoredBy }: ResultSet) => existing(isScoredBy);

export const BROKEN_SETS: readonly Fault<ResultSet>[] = [
  { name: "a missing result", breaks: (of) => void of.hadMember.pop() },
  { name: "a set without an identifier", breaks: (of) => without(of, "identifier") },
  { name: "a set without a title", breaks: (of) => without(of, "title") },
  { name: "a set without a licence", breaks: (of) => without(of, "license") },
  { name: "a set without a target", breaks: (of) => without(of, "assessmentTarget") },
  { name: "a set that no run made", breaks: (of) => without(of, "wasGeneratedBy") },
  { name: "a run without an end", breaks: (of) => without(of.wasGeneratedBy, "endedAtTime") },
  { name: "a run that ended some day", breaks: (of) => Object.assign(of.wasGeneratedBy, { endedAtTime: "some day" }) },
  { name: "a result without a description", breaks: (of) => without(withValue(of, "pass"), "description") },
  { name: "a result without a value", breaks: (of) => without(withValue(of, "fail"), "value") },
  {
    name: "a result with two values",
    breaks: (of) => Object.assign(withValue(of, "fail"), { value: ["fail", "pass"] }),
  },
  { name: "the value of a state", breaks: (of) => Object.assign(withValue(of, "pass"), { value: "passed" }) },
  { name: "an absent signal that passes", breaks: (of) => Object.assign(withValue(of, "fail"), { value: "pass" }) },
  {
    name: "an unknown signal that fails",
    breaks: (of) => Object.assign(withValue(of, "indeterminate"), { value: "fail" }),
  },
  {
    name: "an unknown signal without the cause",
    breaks: (of) => Object.assign(withValue(of, "indeterminate"), { log: "This could not be judged." }),
  },
  { name: "a result without a log", breaks: (of) => without(withValue(of, "pass"), "log") },
  { name: "a result of no test", breaks: (of) => without(withValue(of, "pass"), "outputFromTest") },
  {
    name: "a result of a metric",
    breaks: (of) => Object.assign(withValue(of, "pass").outputFromTest, { "@type": "Metric" }),
  },
  {
    name: "a result of another dataset",
    breaks: (of) =>
      Object.assign(withValue(of, "pass"), {
        assessmentTarget: { ...iri, "@type": "Entity", identifier: "another" },
      }),
  },
  { name: "a result without a suggestion", breaks: (of) => without(withValue(of, "fail"), "suggestion") },
  { name: "a suggestion without words", breaks: (of) => without(withValue(of, "fail").suggestion, "description") },
  { name: "a score above 100", breaks: (of) => Object.assign(getScore(of), { value: 104 }) },
  { name: "a score that is text", breaks: (of) => Object.assign(getScore(of), { value: "80" }) },
  { name: "a score without a value", breaks: (of) => without(getScore(of), "value") },
  { name: "a score without an algorithm", breaks: (of) => without(getScore(of), "outputFromAlgorithm") },
  {
    name: "a score by a test",
    breaks: (of) => Object.assign(getScore(of).outputFromAlgorithm, { "@type": ["Test", "DataService"] }),
  },
];

const firstMetric = ({ hasAssociatedMetric: [metric] }: Benchmark) => existing(metric);

export const BROKEN_BENCHMARKS: readonly Fault<Benchmark>[] = [
  { name: "a benchmark without a metric", breaks: (of) => void of.hasAssociatedMetric.pop() },
  { name: "a benchmark without a version", breaks: (of) => without(of, "version") },
  { name: "a contact without a name", breaks: (of) => without(of.contactPoint, "organizationName") },
  { name: "a metric without a contact", breaks: (of) => without(firstMetric(of), "contactPoint") },
  { name: "a metric without a description", breaks: (of) => without(firstMetric(of), "description") },
  { name: "a metric of no dimension", breaks: (of) => without(firstMetric(of), "inDimension") },
  { name: "a metric without a test", breaks: (of) => without(firstMetric(of), "hasImplementation") },
  { name: "a test without a licence", breaks: (of) => without(firstMetric(of).hasImplementation, "license") },
  {
    name: "a test of another metric",
    breaks: (of) =>
      Object.assign(firstMetric(of).hasImplementation, { isImplementationOf: of.hasAssociatedMetric[1]?.["@id"] }),
  },
  { name: "an algorithm without a test", breaks: (of) => void of.hasImplementation.invokesTest.pop() },
  { name: "an algorithm without a benchmark", breaks: (of) => without(of.hasImplementation, "isImplementationOf") },
];

/** Returns a copy of a valid document for each fault. A copy has only this fault, and its key is the name of the fault. */
export function brokenCopies<Document>(
  valid: Document | undefined,
  faults: readonly Fault<Document>[],
): Record<string, Document> {
  return Object.fromEntries(
    faults.map(({ name, breaks }) => {
      const copy = structuredClone(existing(valid));
      breaks(copy);
      return [name, copy];
    }),
  );
}
