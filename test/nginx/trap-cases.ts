/** Requests that look canonical and are not: the server answers, and hears exactly what the client said. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, type Question } from "../server/ask.ts";
import { idOf, ODD_LABEL, SPECIAL } from "../server/test-store.ts";
import type { World } from "../server/world.ts";
import { type Front, front } from "./front.ts";
import { answerOf } from "./page-cases.ts";

const ID = idOf(SPECIAL.winner);

interface Trap {
  readonly name: string;
  readonly target: string;
  readonly status: number;
  readonly question?: Question;
}

const TRAPS: readonly Trap[] = [
  { name: "another case of a parameter", target: "/metrics/live?Rubric=1.0", status: 400 },
  { name: "another case of a path", target: "/Rubrics", status: 404 },
  { name: "another case of an id", target: `/records/${ID.toUpperCase()}`, status: 404 },
  { name: "a parameter twice", target: `/records/${ID}?rubric=2.0&rubric=2.0`, status: 400 },
  { name: "an extra parameter", target: `/records/${ID}?rubric=1.0&x=1`, status: 400 },
  { name: "a parameter that is ignored", target: `/records/${ID}?rubric=1.0&utm_x=1`, status: 200 },
  { name: "an extra parameter before", target: `/records/${ID}?x=1&rubric=1.0`, status: 400 },
  { name: "an empty query", target: `/records/${ID}?`, status: 200 },
  { name: "an unknown rubric", target: `/records/${ID}?rubric=1.1`, status: 400 },
  { name: "any sign for the full stop", target: `/records/${ID}?rubric=1x0`, status: 400 },
  { name: "an encoded value", target: `/records/${ID}?rubric=1%2E0`, status: 200 },
  { name: "an encoded id", target: `/records/%72${ID.slice(1)}`, status: 200 },
  { name: "an encoded line end after an id", target: `/records/${ID}%0A`, status: 404 },
  { name: "an encoded slash", target: `/records%2F${ID}`, status: 404 },
  {
    name: "an encoded slash in a label",
    target: "/widgets/repositories/..%2F..%2Frelease.json/badge.svg",
    status: 404,
  },
  { name: "an encoded letter of a label", target: "/widgets/repositories/Zen%6Fdo/badge.svg", status: 200 },
  {
    name: "a label no file can have",
    target: `/widgets/repositories/${encodeURIComponent(ODD_LABEL)}/badge.svg`,
    status: 200,
  },
  { name: "a label that goes up", target: "/widgets/repositories/%2e%2e/badge.svg", status: 404 },
  { name: "a label too long for a file", target: `/widgets/repositories/${"Z".repeat(300)}/badge.svg`, status: 404 },
  { name: "two slashes", target: "//records", status: 404 },
  { name: "a slash at the end", target: "/geography/", status: 404 },
  { name: "a way up and down", target: "/records/../rubrics", status: 404 },
  { name: "an encoded way up", target: "/records/%2e%2e/rubrics", status: 404 },
  { name: "a page by its own path", target: "/api/2.0/metrics/live.json", status: 404 },
  { name: "the receipt by its own path", target: "/release.json", status: 404 },
  { name: "an answer of nginx by its own path", target: "/.refused/rate", status: 404 },
  { name: "the folder of those", target: "/.refused/", status: 404 },
  { name: "an unknown id", target: "/records/r000000000000000000000000", status: 404 },
  { name: "a withdrawn dataset", target: `/records/${idOf(SPECIAL.tombstone)}`, status: 404 },
  { name: "a record that lost to another", target: `/records/${idOf(SPECIAL.loser)}?rubric=1.0`, status: 308 },
  { name: "the badge of one", target: `/widgets/datasets/${idOf(SPECIAL.loser)}/badge.svg`, status: 308 },
  { name: "an unknown rubric's page", target: "/rubrics/9.9", status: 400 },
  { name: "the name of the list's page", target: "/rubrics/index", status: 400 },
  { name: "an options request", target: "/rubrics", status: 204, question: { method: "OPTIONS" } },
  { name: "a post to a page", target: "/rubrics", status: 405, question: { method: "POST" } },
  { name: "a delete of a page", target: `/records/${ID}`, status: 405, question: { method: "DELETE" } },
];

const FORMS = ["text/csv", "TEXT/CSV", "text/csv;q=0.9, application/json;q=0.8", "text/*"];

export function trapCases(world: () => World): void {
  describe("what is not canonical", () => {
    let at: Front;

    beforeAll(async () => {
      at = await front(world().store);
    });

    afterAll(() => at[Symbol.asyncDispose]());

    test.each(TRAPS)("$name: $target is $status", async ({ target, status, question = {} }) => {
      const before = at.seen.length;
      const reply = await ask(at.port, target, question);
      expect(at.seen.slice(before)).toMatchObject([{ method: question.method ?? "GET", target }]);
      expect(reply.status).toBe(status);
      const own = await ask(at.server, target, question);
      expect(answerOf(reply)).toEqual(answerOf(own));
      expect(reply.headers.allow).toBe(own.headers.allow);
    });

    test("a list as a stream comes from the server, whole and with its total", async () => {
      const question = { headers: { accept: "application/x-ndjson" } };
      const reply = await ask(at.port, "/records", question);
      const { text, headers } = await ask(at.server, "/records", question);
      expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
      expect(reply.text).toBe(text);
      expect(text.split("\n")).toHaveLength(Number(headers["x-total-count"]) + 1);
    });

    test.each(["application/x-ndjson", "application/vnd.apache.arrow.stream"])(
      "who asks for %s is not given the JSON that was kept",
      async (accept) => {
        const target = "/records?minScore=8";
        await ask(at.port, target);
        const reply = await ask(at.port, target, { headers: { accept } });
        expect(reply.headers["content-type"]).toMatch(new RegExp(`^${accept}`));
      },
    );

    test("a score as linked data comes from the server, whatever of it was kept", async () => {
      const { data } = JSON.parse((await ask(at.port, "/records")).text);
      const target = `/records/${data[0].id}`;
      await ask(at.port, target);
      const reply = await ask(at.port, target, { headers: { accept: "application/ld+json" } });
      expect(reply.headers["content-type"]).toBe("application/ld+json");
      expect((await ask(at.port, target)).headers["content-type"]).toBe("application/json; charset=utf-8");
    });

    test("a list as Arrow comes from the server, byte by byte", async () => {
      const question = { headers: { accept: "application/vnd.apache.arrow.stream" } };
      const reply = await ask(at.port, "/records", question);
      const own = await ask(at.server, "/records", question);
      expect([reply.status, reply.headers["content-type"]]).toEqual([200, question.headers.accept]);
      expect(reply.headers["x-total-count"]).toBe(own.headers["x-total-count"]);
      expect(reply.body.equals(own.body)).toBe(true);
    });

    test.each(FORMS)("a list with Accept: %s", async (accept) => {
      const question = { headers: { accept } };
      const reply = await ask(at.port, "/records", question);
      expect(at.seen.at(-1)).toMatchObject({ target: "/records", headers: { accept } });
      expect(answerOf(reply)).toEqual(answerOf(await ask(at.server, "/records", question)));
      expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
    });

    test("a browser that follows a link of our pages gets a list from its file", async () => {
      const before = at.seen.length;
      const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
      const reply = await ask(at.port, "/records", { headers: { ...headers, "sec-fetch-site": "same-origin" } });
      expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
      expect(at.seen.length).toBe(before);
    });
  });
}
