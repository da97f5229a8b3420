/** The one box of the first page: where a text leads. */

import { parseIdentifier } from "../../../pipeline/identifiers/parse.ts";
import { orcidOf } from "../../../pipeline/reading/identifiers.ts";
import { recordList } from "../../../schemas/public/api/record.ts";
import { researcherList } from "../../../schemas/public/api/researcher.ts";
import type { Answer } from "../../frame/answering/answer.ts";
import type { Asked } from "../../frame/handler.ts";
import type { Asking } from "../making/asking.ts";
import { seeOther } from "../making/page-handler.ts";

/** Longer texts name nothing. */
const LONGEST = 512;

export async function find({ query: { q } }: Asked<"find">, api: Asking): Promise<Answer> {
  const text = q.trim().slice(0, LONGEST);
  if (text === "") return seeOther("/datasets");
  const orcid = orcidOf(text);
  if (orcid !== null) return toResearcher(orcid, api);
  const identifier = parseIdentifier(text);
  if (identifier.kind !== "refused") return toDataset(text, api);
  return toWords(text, api);
}

async function toResearcher(orcid: string, api: Asking): Promise<Answer> {
  const { data } = await api.get(researcherList, "authors", { query: { orcid } });
  const [only] = data;
  return seeOther(
    only === undefined ? `/researchers?${new URLSearchParams({ search: orcid })}` : `/researchers/${only.slug}`,
  );
}

/** What is published at once; what is not can be measured. */
async function toDataset(identifier: string, api: Asking): Promise<Answer> {
  const { data } = await api.get(recordList, "records", { query: { identifier } });
  const [only] = data;
  return seeOther(only === undefined ? `/check?${new URLSearchParams({ identifier })}` : `/datasets/${only.id}`);
}

/** Words are a title, mostly; a name where no title has them and somebody's name does. */
async function toWords(search: string, api: Asking): Promise<Answer> {
  const titled = await api.get(recordList, "records", { query: { search, limit: "1" } });
  if (titled.pagination.total === 0) {
    const named = await api.get(researcherList, "authors", { query: { search, limit: "1" } });
    if (named.pagination.total > 0) return seeOther(`/researchers?${new URLSearchParams({ search })}`);
  }
  return seeOther(`/datasets?${new URLSearchParams({ search })}`);
}
