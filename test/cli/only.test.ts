/** Tests the option --only, whose value such as "client=tib.tib" selects a part of a source, and its errors. */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { partsNamed } from "../../cli/options/only.ts";
import { partName } from "../../pipeline/sources/adapter/selection.ts";
import { SOURCES, sourceNamed } from "../../pipeline/sources/index.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { runHosted } from "../support/command-host.ts";
import { temporaryStore } from "../support/temporary-store.ts";

const findSources = (names: readonly string[] | undefined) =>
  names === undefined ? SOURCES : names.flatMap((name) => sourceNamed(name) ?? []);

test.each([
  { text: "client=tib.tib", part: "datacite client=tib.tib" },
  { text: "zenodo:community=biosyslit", part: "zenodo community=biosyslit" },
  { text: "institution=2", among: ["figshare", "osf"], part: "figshare institution=2" },
  { text: "datacite:query=a:b=c", part: "datacite query=a:b=c" },
  { text: "sponsor=A, B & C", part: "clinicaltrials sponsor=A, B & C" },
])("--only $text selects the part $part", ({ text, among, part }) => {
  expect(partsNamed([text], findSources(among)).map(partName)).toEqual([part]);
});

test.each([
  {
    text: "tib.tib",
    error: "--only tib.tib is not a part of a source; write it as name=value, such as client=tib.tib",
  },
  {
    text: "client=TIB.TIB",
    error: "--only client=TIB.TIB: datacite does not allow this value; write it as client=tib.tib",
  },
  {
    text: "institution=2",
    error: "dryad, figshare, openaire have such parts; write dryad:institution=… for one of them",
  },
  { text: "colour=red", error: 'no source can select by "colour". `harvest --help` lists the parts' },
  {
    text: "client=tib.tib",
    among: ["zenodo"],
    error: 'zenodo cannot select by "client". It can select community=biosyslit, query=metadata.subjects.subject:birds',
  },
  {
    text: "client=tib.tib",
    among: ["geo"],
    error: 'geo cannot select by "client". It can select nothing, because it is always harvested as a whole',
  },
  { text: "datacite:client=tib.tib", among: ["zenodo"], error: "this command does not harvest that source" },
  { text: "datacit:client=tib.tib", error: "did you mean datacite?" },
  { text: "client=a\u001b[31m", error: "datacite does not allow this value" },
])("--only $text is rejected with the error: $error", ({ text, among, error }) => {
  expect(() => partsNamed([text], findSources(among))).toThrow(error);
});

describe("--only of harvest", () => {
  const files = join(REPOSITORY, "fixtures/payloads/geo");

  test("share-release harvest rejects --only together with --from, and ignores SHARE_ONLY when it reads files", async () => {
    await using bench = await temporaryStore();
    const command = ["harvest", "geo", "--from", files, "--store", bench.store.root];
    const rejected = await runHosted([...command, "--only", "client=tib.tib"]);
    expect(rejected).toMatchObject({ exitCode: 2 });
    expect(rejected.stderr).toContain("--only selects parts of a service, and --from reads files: give one of them");
    const { exitCode } = await runHosted(command, { environment: { SHARE_ONLY: "client=tib.tib" } });
    expect(exitCode).toBe(0);
  });

  test("share-release harvest rejects a set in the URL of an OAI-PMH service", async () => {
    const url = "https://zenodo.org/oai2d?set=user-example";
    const { exitCode, stderr } = await runHosted(["harvest", "datacite", "--oai-url", url]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("leave the set out of the URL, and select it with --only set=…");
  });

  test("share-release harvest lists in its help how every source can be divided into parts", async () => {
    const { stdout } = await runHosted(["harvest", "--help"]);
    for (const { name, walk } of SOURCES)
      for (const selector of walk.selectors ?? []) expect(stdout).toContain(`${name.padEnd(15)} ${selector.name}=`);
  });
});
