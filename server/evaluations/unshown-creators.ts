/**
 * The creators whom a published dataset does not show: a payload alone cannot tell whom a release knows by their other
 * datasets, and who asked to be hidden would be named by an evaluation under a contract that the release does not have.
 */

import { readPage } from "../../api-static/pages/read-page.ts";
import { WITHHELD_NAME } from "../../api-static/pages/withheld.ts";
import { type RecordDetail, recordDetail } from "../../schemas/public/api/record.ts";
import type { Standing } from "../people/hidden/standing.ts";
import type { OpenRelease } from "../read/release/open-release.ts";
import { pageOfRecord } from "./published.ts";

/**
 * Their places among the creators of `record`. Whom the release still names is known by the name; whom it withholds, by
 * the place, where it has as many creators as the record.
 */
export async function unshownCreators(
  { id, authors }: Pick<RecordDetail, "id" | "authors">,
  release: OpenRelease,
  { hidden }: Pick<Standing, "hidden">,
): Promise<ReadonlySet<number>> {
  // Nobody has asked, mostly.
  if (hidden.size === 0 && release.receipt.withheld.count === 0) return new Set();
  const page = await pageOfRecord(id, release);
  if (page === null) return new Set();
  const released = readPage(recordDetail, JSON.parse(Buffer.from(page).toString("utf8"))).authors;
  const names = new Set(
    released.filter((author) => author.id !== null && hidden.has(author.id)).map(({ name }) => name),
  );
  const inPlace = released.length === authors.length ? released : [];
  const places = authors.flatMap(({ name }, place) =>
    names.has(name) || inPlace[place]?.name === WITHHELD_NAME ? [place] : [],
  );
  return new Set(places);
}
