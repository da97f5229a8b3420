/** Test cases for evaluations, which must not name hidden researchers, as far as a single record identifies them. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { explain, showPeople } from "../../pipeline/evaluate/evaluation.ts";
import { scoreOne } from "../../pipeline/evaluate/scorer.ts";
import { openTables, releaseTablePaths } from "../../pipeline/pages/columns.ts";
import { idOfOrcid } from "../../pipeline/parse-identifier.ts";
import { getReader } from "../../pipeline/sources/reader-of.ts";
import type { Store } from "../../pipeline/store/store.ts";
import { evaluationJob, evaluationResult } from "../../schemas/public/api/evaluation.ts";
import type { author } from "../../schemas/public/api/record.ts";
import type { Accounts } from "../../server/accounts/database.ts";
import { parseBody, post } from "../evaluations/post.ts";
import { REGISTERED, startUpstream, type Upstream } from "../evaluations/upstream.ts";
import { readEnvelopes } from "../harvest/bench-store.ts";
import { ask } from "../server/ask.ts";
import { type Listening, makeRecordId, serve } from "../server/test-store.ts";
import { hide, type Person, untilStatus } from "./hidden-world.ts";

interface World {
  readonly store: Store;
  readonly digest: string;
  readonly accounts: Accounts;
  readonly gone: readonly Person[];
}

const WITHHELD = { id: null, name: "withheld", affiliation: null, slug: null, orcid: null };

export function evaluationCases(world: () => World): void {
  test("creators have the same ids in an evaluation as in the release, unless the release merged them by name", async () => {
    const { store, digest } = world();
    const released = await readCreators(store, digest);
    const asked: string[] = [];
    const isWithheld = (id: string) => asked.push(id) < 0;
    const seen = { orcid: 0, name_affiliation: 0, name: 0, joined: 0 };
    for (const source of ["datacite", "zenodo", "clinicaltrials"]) {
      for (const envelope of await readEnvelopes(store, source)) {
        const creators = released.get(makeRecordId(`${source}/${envelope.sourceId}`)) ?? [];
        if (creators.length === 0 || creators[0]?.source !== source) continue;
        asked.length = 0;
        const scored = scoreOne(envelope, "2026-11-01", await getReader(source));
        showPeople(explain(scored, "2.0.0-beta.2"), scored.researcherIds, isWithheld);
        expect([envelope.sourceId, asked.length]).toEqual([envelope.sourceId, creators.length]);
        for (const [i, { researcher, basis, joined }] of creators.entries()) {
          seen[joined ? "joined" : basis] += 1;
          if (!joined) expect([envelope.sourceId, asked[i]]).toEqual([envelope.sourceId, researcher]);
        }
      }
    }
    // Each way of identifying a researcher must have occurred at least once.
    expect(Object.entries(seen).filter(([kind, count]) => count === 0 && kind !== "joined")).toEqual([]);
  }, 300_000);

  describe("an evaluation on demand", () => {
    let upstream: Upstream;
    let server: Listening;

    beforeAll(async () => {
      upstream = await startUpstream();
      const evaluations = { upstreams: upstream.upstreams, timeoutMs: 5000 };
      const many = { requests: 1_000_000, seconds: 60 };
      server = await serve(world().store, { evaluations, quotas: { anonymous: many, evaluation: many } });
    });

    afterAll(async () => {
      await server?.close();
      await upstream?.close();
    });

    async function fetchAuthors(identifier: string) {
      const reply = await post(server.port, "/evaluations", { identifier });
      expect(reply.status).toBe(201);
      return evaluationResult.parse(parseBody(reply)).evaluation.record.authors;
    }

    test("an evaluation shows a hidden creator as “withheld”, even in a job that ended before", async () => {
      const { accounts, gone } = world();
      const [identifier, before] = await withOrcid(fetchAuthors);
      const added = evaluationJob.parse(parseBody(await post(server.port, "/evaluation-jobs", { identifier })));
      const job = async () => evaluationJob.parse(parseBody(await ask(server.port, `/evaluation-jobs/${added.id}`)));
      while ((await job()).status !== "succeeded") await sleep(5);
      expect((await job()).result?.evaluation.record.authors).toEqual(before);
      const orcids = before.flatMap(({ orcid }) => orcid ?? []);
      const strangers = orcids.map((orcid) => ({ id: idOfOrcid(orcid), slug: `somebody-${orcid}` }));
      await hide(accounts.db, [...gone, ...strangers]);
      const expected = before.map((author) => (author.orcid === null ? author : WITHHELD));
      let after = await fetchAuthors(identifier);
      while (after[0]?.name === before[0]?.name && JSON.stringify(after) === JSON.stringify(before)) {
        await sleep(5);
        after = await fetchAuthors(identifier);
      }
      expect(after).toEqual(expected);
      const shown = await job();
      expect(shown.result?.evaluation.record.authors).toEqual(expected);
      for (const orcid of orcids) expect(JSON.stringify(shown)).not.toContain(orcid);
      await hide(accounts.db, gone);
      await untilStatus(server.port, `/authors/${gone[0]?.slug}`, 404);
    });
  });
}

type Authors = readonly z.infer<typeof author>[];

/** Returns the DOI and the creators of the first DataCite dataset that has a creator with an ORCID iD. */
async function withOrcid(fetchAuthors: (identifier: string) => Promise<Authors>): Promise<[string, Authors]> {
  for (const identifier of REGISTERED) {
    const authors = await fetchAuthors(identifier);
    if (authors.some(({ orcid }) => orcid !== null)) return [identifier, authors];
  }
  throw new Error("no generated DataCite dataset has a creator with an ORCID iD");
}

const creator = z.object({
  id: z.string(),
  source: z.string(),
  researcher: z.string(),
  basis: z.enum(["orcid", "name_affiliation", "name"]),
  joined: z.boolean(),
});

/** Reads the creators who are researchers in a release, by record id and in the order of the record. */
async function readCreators(store: Store, digest: string) {
  const db = await openTables(releaseTablePaths(store.release(digest)), { threads: 1 });
  try {
    const rows = await db.rows(
      `select authorship.id, record.source, authorship.researcher_id as researcher,
         researcher.identity_basis as basis, authorship.orcid is null and researcher.orcid is not null as joined
       from authorship
       join record on record.id = authorship.id
       join researcher on researcher.id = authorship.researcher_id and researcher.rubric = '2.0'
       order by authorship.id, authorship.position`,
    );
    return Map.groupBy(creator.array().parse(rows), ({ id }) => id);
  } finally {
    db.close();
  }
}
