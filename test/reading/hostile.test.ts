/** The time to read a long text grows no faster than its length, even if the text is made to be slow to read. */

import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";

/** A program that runs every reader of free text on one text in a thread, so that a hang can be ended. */
const READERS = `
  import { parentPort, workerData } from "node:worker_threads";
  const load = (path) => import(new URL(path, workerData.base));
  const { cleanLength, readDate, displayText, readInstant } = await load("reading/text.ts");
  const { readDoi, readOrcid, readOrganisationPid, readWebUrl } = await load("reading/identifiers.ts");
  const { readCreator } = await load("reading/people.ts");
  const { countTerms } = await load("reading/search-terms.ts");
  const { findElsewhere } = await load("reading/found-elsewhere.ts");
  const { countRelations, readFiles, readLicence } = await load("reading/evidence.ts");
  const { loadVocabularies } = await load("vocabularies/index.ts");
  const { institutionLabel } = await load("2-normalise/rows.ts");
  const vocabularies = await loadVocabularies();
  parentPort.postMessage("ready");
  parentPort.on("message", ({ piece, length }) => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    cleanLength(text); displayText(text); institutionLabel(text);
    readDoi(text); readDoi("10.1234/" + text); readOrcid(text); readOrganisationPid(text, "ISNI"); readWebUrl(text);
    readDate(text); readInstant(text);
    readCreator({ name: text, given: null, family: null, type: null, orcid: null, affiliations: [] }, vocabularies);
    countTerms("keyword_count", [text], vocabularies);
    const missing = { reference_pid_count: 0, linked_code_count: 0, award_count: 0, license_text: "" };
    findElsewhere({ description: "a b c d " + text }, missing, new Set(), vocabularies);
    countRelations([{ type: "Cites", relatedType: null, identifier: text, identifierType: null }], vocabularies);
    readLicence([{ text, spellings: [text] }], vocabularies);
    readFiles([text], vocabularies);
    parentPort.postMessage("done");
  });
`;

const PIECES = [
  "<",
  "<!--",
  "<!-- -->",
  "&",
  "a,",
  "<a ",
  "<p ",
  "</",
  "&lt;",
  "&amp;",
  "&#",
  "<!-->",
  "--><!--",
  " ",
  "\n",
  "\u0000",
  ".part",
  "@a.",
  "www.",
  "http://",
  "0000-",
  "10.1234/",
  "😀",
  "\ud83d",
  "A. ",
  "e\u0301",
];

/**
 * Maximum milliseconds. Readers take tens of milliseconds for a megabyte; in quadratic time, five megabytes would take hours.
 */
const LIMIT = 5_000;

async function startReaders(): Promise<Worker> {
  const base = new URL("../../pipeline/", import.meta.url).href;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(READERS)}`), { workerData: { base } });
  await answer(worker, "ready", 20_000);
  return worker;
}

function answer(worker: Worker, expected: string, limit: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the readers did not answer within ${limit} ms`)), limit);
    worker.once("error", reject);
    worker.once("message", (message) => {
      clearTimeout(timer);
      worker.off("error", reject);
      if (message === expected) resolve();
      else reject(new Error(`the readers answered ${String(message)} in place of ${expected}`));
    });
  });
}

describe("reading a text that is made to be slow", () => {
  test("every reader of texts takes limited time for megabytes of brackets, tags, comments or entities", {
    timeout: 120_000,
  }, async () => {
    const worker = await startReaders();
    try {
      for (const piece of PIECES) {
        worker.postMessage({
          piece,
          length: piece === "<" || piece === "<!--" || piece === "&" || piece === "a," ? 5e6 : 1e6,
        });
        await answer(worker, "done", LIMIT).catch((cause) => {
          throw new Error(`a text that repeats ${JSON.stringify(piece)} is read too slowly`, { cause });
        });
      }
    } finally {
      await worker.terminate();
    }
    expect(PIECES.length).toBeGreaterThan(20);
  });
});
