/** /researchers and /researchers/{slug}. */

import { researcherDetail, researcherList } from "../../../schemas/public/api/researcher.ts";
import type { PublicVersion } from "../../../schemas/public/rubric.ts";
import type { View } from "../../../web/components/document.ts";
import { researchersView, researcherView } from "../../../web/views/researchers.ts";
import type { Asked } from "../../frame/handler.ts";
import type { Asking } from "../making/asking.ts";

/** The top of the list is a hundred. */
const ROWS = "100";

export async function makeResearchers({ query }: Asked<"researchers">, api: Asking): Promise<View> {
  const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  const { data, pagination } = await api.get(researcherList, "authors", {
    query: { limit: ROWS, sortBy: "sIndex", sortOrder: "desc", ...asked },
  });
  return researchersView({ asked, data, pagination });
}

export async function makeResearcher(
  { key, version }: { readonly key: string; readonly version: PublicVersion },
  api: Asking,
  origin: string,
): Promise<View> {
  const person = await api.get(researcherDetail, "author", { key, query: { rubric: version } });
  return researcherView(person, version, origin);
}
