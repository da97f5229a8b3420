/** /find/suggestions: datasets and researchers that what somebody is typing may become, for the script of the box. */

import { CACHE, JSON_TYPE } from "../../../api-static/routes/route.ts";
import { recordList } from "../../../schemas/public/api/record.ts";
import { researcherList } from "../../../schemas/public/api/researcher.ts";
import { type Suggestion, suggestions } from "../../../schemas/public/site/suggestions.ts";
import { type Answer, contentAnswer } from "../../frame/answering/answer.ts";
import type { Asked } from "../../frame/handler.ts";
import { completions } from "../../read/queries/completions.ts";
import type { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";

/** Of datasets and of researchers each. */
const MOST = 4;

/** Longer texts are pasted, not typed. */
const LONGEST = 100;

export async function suggest(
  { query: { q } }: Asked<"suggestions">,
  api: Asking,
  { active }: Pick<SiteContext, "active">,
): Promise<Answer> {
  const text = q.trim().slice(0, LONGEST);
  const found = text.length < 2 || active.release === null ? [] : await of(text, api, active);
  return contentAnswer(Buffer.from(JSON.stringify(suggestions.parse(found))), JSON_TYPE, CACHE.person);
}

async function of(text: string, api: Asking, active: SiteContext["active"]): Promise<Suggestion[]> {
  const [titles, names] = await active.use(async ({ prepared }) => [
    await completions(prepared, "records", text),
    await completions(prepared, "authors", text),
  ]);
  const datasets = await firstOf(titles, async (search) => {
    const { data } = await api.get(recordList, "records", { query: { search, limit: String(MOST) } });
    return data.map(({ id, title, doi, repository, score }) => ({
      name: title ?? doi ?? id,
      note: ["Dataset", repository, doi, score === null ? null : `${score.total} of 100`]
        .filter((part) => part !== null)
        .join(" · "),
      path: `/datasets/${id}`,
    }));
  });
  const people = await firstOf(names, async (search) => {
    const { data } = await api.get(researcherList, "authors", {
      query: { search, limit: String(MOST), sortBy: "sIndex", sortOrder: "desc" },
    });
    return data.map(({ slug, name, affiliation }) => ({
      name,
      note: ["Researcher", affiliation].filter((part) => part !== "").join(" · "),
      path: `/researchers/${slug}`,
    }));
  });
  return [...datasets, ...people];
}

/** The first few of what several searches find, each once. */
async function firstOf(
  searches: readonly string[],
  find: (search: string) => Promise<Suggestion[]>,
): Promise<Suggestion[]> {
  const found = new Map<string, Suggestion>();
  for (const search of searches) {
    if (found.size >= MOST) break;
    for (const each of await find(search)) if (!found.has(each.path)) found.set(each.path, each);
  }
  return [...found.values()].slice(0, MOST);
}
