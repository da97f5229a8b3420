/** Parameters by which nobody looks anything up: links are decorated with them on their way (decisions.md, "Requests"). */

import { HTML_TYPE, type Route } from "./route.ts";

/** Campaigns, and what keeps caches from answering. */
const EVERYWHERE = /^(?:utm_.*|_|cb)$/;

/** The parameters that networks, advertisements and mailings add to each link that is followed from them. */
export const CLICKS: readonly string[] = [
  ...["fbclid", "igsh", "igshid"],
  ...["gclid", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl"],
  ...["msclkid", "yclid", "ysclid", "twclid", "ttclid", "rdt_cid", "li_fat_id", "epik", "ScCid"],
  ...["mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi"],
];

/** Whether an address ignores a parameter of this name that it does not know. Visitors bring those of clicks along, programs do not. */
export function ignores(route: Pick<Route, "html" | "contentType">, name: string): boolean {
  return EVERYWHERE.test(name) || (isPage(route) && CLICKS.includes(name));
}

/** Whether browsers come to an address as to a page. */
function isPage({ html, contentType }: Pick<Route, "html" | "contentType">): boolean {
  return html || contentType === HTML_TYPE;
}
