/** Who is hidden is gone through nginx too: it has no file of anybody, and what it keeps, it keeps for a minute at most. */

import { describe, expect, test } from "vitest";
import type { Store } from "../../pipeline/store/store.ts";
import { front } from "../nginx/front.ts";
import { ask } from "../server/ask.ts";
import { HAS_NGINX } from "../support/nginx.ts";
import { makeTrees } from "../support/page-trees.ts";
import type { Person } from "./hidden-world.ts";

interface World {
  readonly store: Store;
  readonly digest: string;
  readonly people: readonly Person[];
  readonly gone: readonly Person[];
}

/** Within a suite in which the people in `gone` are hidden. */
export function nginxCases(world: () => World): void {
  describe.skipIf(!HAS_NGINX)("through nginx", () => {
    test("nothing of them is given out", async () => {
      await makeTrees(world().store, world().digest);
      const { store, people, gone } = world();
      await using at = await front(store);
      for (const { slug, id } of gone) {
        for (const path of [`/authors/${slug}`, `/widgets/researchers/${slug}/badge.svg`]) {
          expect((await ask(at.port, path)).status).toBe(404);
          // Where the file lies, for who knows releases from within.
          expect((await ask(at.port, `/api/2.0${path.replace(/\/([^/]+)$/, "/$1.json")}`)).status).toBe(404);
        }
        expect((await ask(at.port, "/authors?limit=100")).text).not.toContain(id);
        expect((await ask(at.port, "/authors")).text).not.toContain(id);
      }
      const list = await ask(at.port, "/authors");
      expect(JSON.parse(list.text).pagination.total).toBe(people.length - gone.length);
      expect(list.headers["cache-control"]).toBe("public, max-age=60");
    });

    test("what it keeps of others is under the same minute, and asked for anew by its tag", async () => {
      const { store, people, gone } = world();
      await using at = await front(store);
      const other = people.find(({ id }) => !gone.some((person) => person.id === id));
      const first = await ask(at.port, `/authors/${other?.slug}`);
      const second = await ask(at.port, `/authors/${other?.slug}`);
      expect([first.status, first.headers["cache-control"]]).toEqual([200, "public, max-age=60"]);
      expect([second.status, second.text]).toEqual([200, first.text]);
      expect(at.seen.filter(({ target }) => target === `/authors/${other?.slug}`)).toHaveLength(1);
      const badge = await ask(at.port, `/widgets/researchers/${other?.slug}/badge.svg`);
      expect(badge.headers["cache-control"]).toBe("public, max-age=300, s-maxage=60");
    });
  });
}
