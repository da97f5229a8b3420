/** Countries of ROR ids, from a ROR data dump in schema 1 or 2 (https://ror.readme.io/docs/data-dump). */

import countries from "i18n-iso-countries";
import { type Database, quote } from "../engine/open.ts";

/** Fills the table `ror` (ror, country_code as ISO 3166-1 alpha-3). */
export async function loadRor(db: Database, file: string): Promise<void> {
  await db.run("create table iso (alpha2 varchar, alpha3 varchar)");
  for (const [alpha2, alpha3] of Object.entries(countries.getAlpha2Codes())) {
    await db.run("insert into iso values ($alpha2, $alpha3)", { alpha2, alpha3 });
  }
  const load = `
    insert into ror
    select regexp_extract(organisation.id, '[^/]+$'), iso.alpha3
    from read_json(${quote(file)}, format = 'array', maximum_object_size = 67108864,
      columns = {id: 'varchar', country: 'json', locations: 'json'}) as organisation
    join iso on iso.alpha2 = coalesce(
      organisation.country ->> '$.country_code',
      organisation.locations ->> '$[0].geonames_details.country_code'
    )`;
  try {
    await db.run(load);
  } catch (cause) {
    throw new RorUnreadable(file, cause);
  }
}

/** What was given as ROR data dump is none. */
export class RorUnreadable extends Error {
  readonly code = "ror-unreadable";
  constructor(file: string, cause: unknown) {
    super(`${file} is no ROR data dump: expected a JSON array of organisations; give the .json file of the dump`, {
      cause,
    });
    this.name = "RorUnreadable";
  }
}
