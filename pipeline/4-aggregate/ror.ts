/** Countries of ROR ids, from a ROR data dump in schema 1 or 2 (https://ror.readme.io/docs/data-dump). */

import countries from "i18n-iso-countries";
import { type Database, quote } from "../duckdb/open.ts";

/** Fills the table `ror` (ror, country_code as ISO 3166-1 alpha-3). */
export async function loadRor(db: Database, file: string): Promise<void> {
  await db.run("create table iso (alpha2 varchar, alpha3 varchar)");
  for (const [alpha2, alpha3] of Object.entries(countries.getAlpha2Codes())) {
    await db.run("insert into iso values ($alpha2, $alpha3)", { alpha2, alpha3 });
  }
  await db.run(`
    insert into ror
    select regexp_extract(organisation.id, '[^/]+$'), iso.alpha3
    from read_json(${quote(file)}, format = 'array', maximum_object_size = 67108864,
      columns = {id: 'varchar', country: 'json', locations: 'json'}) as organisation
    join iso on iso.alpha2 = coalesce(
      organisation.country ->> '$.country_code',
      organisation.locations ->> '$[0].geonames_details.country_code'
    )`);
}
