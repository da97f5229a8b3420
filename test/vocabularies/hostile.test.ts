// Texts that are made to be slow to read. Payloads come from anybody, and a pattern that backtracks would stop a worker.
import { describe, expect, it } from "vitest";
import { loadVocabularies } from "../../pipeline/vocabularies/index.ts";

const vocabularies = await loadVocabularies();
const LENGTH = 200_000;

const texts: [string, string][] = [
  ["commas", "a,".repeat(LENGTH)],
  ["spaces before a word", `${" ".repeat(LENGTH)}x`],
  ["dots between words", `x${".".repeat(LENGTH)}y`],
  ["slashes", `${"/".repeat(LENGTH)}x`],
  ["hyphens", `${"-".repeat(LENGTH)}x`],
  ["labels of a host", `https://${"a.".repeat(LENGTH)}`],
  ["words of a name", "a_".repeat(LENGTH)],
  ["accents", "e\u0301\u0301".repeat(LENGTH)],
];

describe("long texts that are made to be slow", () => {
  it.each(texts)("a text of 200,000 or more %s is read in limited time", (_, text) => {
    const begun = process.cpuUsage();
    expect(vocabularies.licences.resolve([text])).toBe("");
    expect(vocabularies.countries.ofAffiliation(text)).toBeNull();
    expect(vocabularies.codeHosts.isCodeHost(text)).toBe(false);
    expect(vocabularies.accessLevels.findLevel(text)).toBeNull();
    expect(vocabularies.roles.counts(text)).toBe(false);
    expect(vocabularies.placeholders.isPlaceholder(text, "name")).toBe(false);
    expect(vocabularies.fileKinds.readKinds(text).manifest).toBe(false);
    expect(vocabularies.fileKinds.isOpenMedia(text)).toBe(false);
    expect(vocabularies.fileNames.isDescriptive(`${text}!`)).toBe(false);
    expect([...vocabularies.relations.countsAs(text, text)]).toEqual(["related"]);
    expect(vocabularies.names.foldName(text)).not.toContain(",");
    // Processor time, in microseconds: some hundred milliseconds. A quadratic pattern takes minutes.
    expect(process.cpuUsage(begun).user).toBeLessThan(4_000_000);
  });
});
