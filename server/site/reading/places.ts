/** /affiliations and /countries. */

import { countryList, institutionList } from "../../../schemas/public/api/attribution.ts";
import type { View } from "../../../web/components/document.ts";
import { affiliationsView, countriesView } from "../../../web/views/places.ts";
import type { Asked } from "../../frame/handler.ts";
import type { Asking } from "../making/asking.ts";
import type { SiteContext } from "../making/context.ts";

type Active = Pick<SiteContext, "active">;

export async function makeAffiliations(
  { query }: Asked<"affiliations">,
  api: Asking,
  { active }: Active,
): Promise<View> {
  const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  const { data, pagination } = await api.get(institutionList, "institutions", {
    query: { limit: "50", sortBy: "recordCount", sortOrder: "desc", ...asked },
  });
  return affiliationsView({ asked, data, pagination, attribution: active.release?.receipt.attribution ?? null });
}

export async function makeCountries(api: Asking, { active }: Active): Promise<View> {
  const { data } = await api.get(countryList, "geography");
  return countriesView(data, active.release?.receipt.attribution ?? null);
}
