/**
 * Stage 4: computes researchers, metrics, repositories, institutions, countries and search terms from records and scores.
 */

import { join } from "node:path";
import countries from "i18n-iso-countries/index.js";
import { WITHHELD_NAME } from "../../api-static/pages/rows.ts";
import type { PublicVersion } from "../../schemas/public/rubric.ts";
import {
  AGGREGATE_TABLES,
  RECORD_TABLES,
  REPORTED_TABLES,
  SCORE_TABLES,
  type Table,
} from "../../schemas/public/tables.ts";
import type { Engine } from "../engine/open.ts";
import { openDuckDB, quote } from "../engine/open.ts";
import type { Runtime } from "../engine/runtime.ts";
import { getRuntime, type LocalOptions } from "../engine/runtime.ts";
import type { TablePaths } from "../pages/columns.ts";
import type { Effects } from "../stage/effects.ts";
import { runStage, type StageManifest, StepProgress } from "../stage/stage.ts";

export interface AggregateOptions {
  readonly rubrics: readonly PublicVersion[];
  /** Ids of the researchers who are hidden. */
  readonly withheld: readonly string[];
  /** Path of a ROR data dump (JSON), from which the countries of ROR ids are read; null if there is none. */
  readonly ror: string | null;
  readonly attribution: boolean;
  /**
   * The published tables of the original release, if a release is rebuilt. They replace the tables of creators and
   * affiliations, which only a build from raw payloads has. Null by default.
   */
  readonly published?: TablePaths | null;
  readonly threads: number;
  readonly memory: string;
  readonly runtime?: Runtime;
}

const STEPS = ["20-indices", "30-metrics", "40-attribution", "45-affiliations", "50-search"];

export function aggregate(
  records: string,
  scores: string,
  folder: string,
  options: AggregateOptions,
  effects: Effects,
): Promise<StageManifest> {
  return runStage(folder, "4-aggregate", async (draft) => {
    const outputs = [...Object.values(AGGREGATE_TABLES), ...Object.values(REPORTED_TABLES)];
    const { published = null } = options;
    const sql = [published === null ? "10-researchers" : "10-published", ...STEPS];
    const steps = new StepProgress("aggregate", sql.length + outputs.length, effects);
    const db = await getRuntime(options).open(join(draft, "spill"), steps.share);
    try {
      await loadInputs(db, records, scores, draft, options);
      const variables = { attribution: options.attribution ? "with" : "without", withheld_name: WITHHELD_NAME };
      for (const step of sql) {
        steps.begin(step);
        await db.runFile(new URL(`./${step}.sql`, import.meta.url), variables);
      }
      await db.check(new URL("./checks.sql", import.meta.url));
      const tables: Record<string, number> = {};
      for (const table of outputs) {
        steps.begin(table.name);
        tables[table.name] = await db.output(table, join(draft, table.name));
      }
      const [coverage] = await db.rows("select * from attribution_coverage");
      steps.share(1);
      return {
        tables,
        facts: { attribution: options.attribution ? coverage : null, withheld: options.withheld.length },
      };
    } finally {
      await db.close();
    }
  });
}

/** Published tables that 10-published.sql reads. */
const PUBLISHED = [
  AGGREGATE_TABLES.authorship,
  AGGREGATE_TABLES.attribution,
  AGGREGATE_TABLES.researcher,
  AGGREGATE_TABLES.institution,
  REPORTED_TABLES.reported_affiliation,
];

async function loadInputs(
  db: Engine,
  records: string,
  scores: string,
  draft: string,
  options: AggregateOptions,
): Promise<void> {
  await db.input(RECORD_TABLES.record, join(records, "record"));
  const { published = null } = options;
  if (published === null) {
    await db.input(RECORD_TABLES.creator, join(records, "creator"));
    await db.input(RECORD_TABLES.affiliation, join(records, "affiliation"));
  }
  for (const table of published === null ? [] : PUBLISHED)
    await db.input({ ...table, name: `published_${table.name}` }, published?.[table.name] ?? "");
  await db.input(SCORE_TABLES.score, join(scores, "score"));
  const rubrics = options.rubrics.map((rubric) => ({ rubric }));
  await db.fill({ name: "published_rubric", columns: { rubric: "text" } }, rubrics);
  const withheld = [...new Set(options.withheld)].map((id) => ({ id }));
  await db.fill({ name: "withheld", columns: { id: "text" } }, withheld);
  await loadRor(db, options.ror, { ...options, folder: join(draft, "ror") });
}

const ROR = {
  name: "ror",
  grain: "one organisation",
  key: ["ror"],
  columns: { ror: "text", country_code: "text" },
} as const satisfies Table;

interface RorOptions extends LocalOptions {
  /** Folder for temporary files of this step. Other steps do not write to it. */
  readonly folder: string;
}

/**
 * Makes the table `ror` (ror, country_code as ISO 3166-1 alpha-3). Without a file, the table is empty. DuckDB reads the
 * file even if Spark computes the other tables.
 *
 * @throws RorUnreadable
 */
async function loadRor(engine: Engine, file: string | null, options: RorOptions): Promise<void> {
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

/** The error for a file that is not a ROR data dump. */
class RorUnreadable extends Error {
  readonly code = "ror-unreadable";
  constructor(file: string, cause: unknown) {
    super(`${file} is not a ROR data dump: expected a JSON array of organisations. Use the .json file of the dump`, {
      cause,
    });
    this.name = "RorUnreadable";
  }
}
