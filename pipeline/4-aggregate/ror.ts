/** Countries of ROR ids, from a ROR data dump in schema 1 or 2 (https://ror.readme.io/docs/data-dump). */

import { join } from "node:path";
import countries from "i18n-iso-countries";
import type { Table } from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/engine.ts";
import type { LocalOptions } from "../engine/local-runtime.ts";
import { openDuckDB, quote } from "../engine/open.ts";

const ROR = {
  name: "ror",
  grain: "one organisation",
  key: ["ror"],
  columns: { ror: "text", country_code: "text" },
} as const satisfies Table;

interface RorOptions extends LocalOptions {
  /** A folder of its own. */
  readonly folder: string;
}

/**
 * Makes the table `ror` (ror, country_code as ISO 3166-1 alpha-3), empty without a file. DuckDB reads the file, and makes Parquet
 * of it, whatever the engine is.
 * @throws RorUnreadable
 */
export async function loadRor(engine: Engine, file: string | null, options: RorOptions): Promise<void> {
  if (file === null) return engine.fill(ROR, []);
  const { threads, memory, folder } = options;
  const db = await openDuckDB({ threads, memory, spill: join(folder, "spill") });
  try {
    const iso = Object.entries(countries.getAlpha2Codes()).map(([alpha2, alpha3]) => ({ alpha2, alpha3 }));
    await db.fill({ name: "iso", columns: { alpha2: "text", alpha3: "text" } }, iso);
    await db.run(LOAD(file));
    await db.output(ROR, join(folder, ROR.name));
  } catch (cause) {
    throw new RorUnreadable(file, cause);
  } finally {
    db.close();
  }
  await engine.input(ROR, join(folder, ROR.name));
}

const LOAD = (file: string) => `
  create view ror as
  select regexp_extract(organisation.id, '[^/]+$') as ror, iso.alpha3 as country_code
  from read_json(${quote(file)}, format = 'array', maximum_object_size = 67108864,
    columns = {id: 'varchar', country: 'json', locations: 'json'}) as organisation
  join iso on iso.alpha2 = coalesce(
    organisation.country ->> '$.country_code',
    organisation.locations ->> '$[0].geonames_details.country_code'
  )`;

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
