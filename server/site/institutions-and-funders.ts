/** Makes the views of the datasets of an institution and of a funder, and the list of funders. */

import { z } from "zod";
import { makePagination } from "../../api-static/pages/read-page.ts";
import { readOrganisationId } from "../../pipeline/reading/identifiers.ts";
import { sourceNames } from "../../pipeline/sources/pledges.ts";
import { improvements } from "../../schemas/public/api/improvements.ts";
import { PUBLIC_VERSIONS, type PublicVersion } from "../../schemas/public/rubric.ts";
import { sumBuckets } from "../../web/components/bucket-profile.ts";
import type { View } from "../../web/components/document.ts";
import { type CollectionPage, collectionView, fundersView } from "../../web/views/institutions-and-funders.ts";
import { ProblemError } from "../http/response.ts";
import type { TypedRequest } from "../http/routes.ts";
import { CROSSREF_FUNDER } from "../read/filters.ts";
import { readOverTime, selectGroups } from "../read/groups.ts";
import { TABLES } from "../read/list-tables.ts";
import { readProfile } from "../read/profiles.ts";
import type { Parameters, QueryEngine } from "../read/query-engine.ts";
import { namesLike } from "../read/search.ts";
import { countSignals } from "./counts.ts";
import { similarNames } from "./find.ts";
import type { ApiClient, SiteContext } from "./page-handler.ts";

interface PageQuestion {
  readonly key: string;
  readonly version: PublicVersion;
}

/** SQL for the names of an institution or funder in the metadata, and the table of the datasets that state it. */
const STATEMENTS = {
  ror: {
    // A name that metadata also state with another ROR id says nothing about datasets without one.
    names: `with own as (select distinct id, institution_id from reported_affiliation where ror = $value),
      named as (
        select institution_id, count(distinct ror) = 1 as is_clear from reported_affiliation
        where institution_id in (select institution_id from own) group by institution_id
      ),
      reported as (
        select distinct named.institution_id, affiliation.id, affiliation.id in (select id from own) as is_own
        from named join reported_affiliation as affiliation using (institution_id)
        where named.is_clear or affiliation.ror = $value
      )
      select institution.label, count(distinct reported.id) filter (is_own) as datasets,
        count(distinct reported.id) filter (not is_own) as further,
        (select count(distinct id) from reported where not is_own) as all_further,
        min(reported.institution_id)
      from reported join institution on institution.id = reported.institution_id and institution.rubric = $version
      group by institution.label order by datasets desc, further desc, institution.label limit 5`,
    stated: TABLES.organisations,
  },
  funder: {
    names: `select funder, count(distinct id) as datasets from funding
      where funder is not null and (lower(funder) = lower($value) or funder_scheme || ':' || funder_id = $identifier)
      group by funder order by datasets desc, funder limit 5`,
    stated: TABLES.funders,
  },
} as const;

/** SQL for the awards of a funder, those with the most datasets first. */
const AWARDS = `select award_number, count(distinct id) as datasets, count(*) over () as all_awards from funding
  where award_number is not null and (lower(funder) = lower($value) or funder_scheme || ':' || funder_id = $identifier)
  group by award_number order by datasets desc, award_number limit 10`;

/** SQL for the funders of the datasets of an institution, whose ROR id is $value. The most frequent funders come first. */
const FUNDERS = `select funder, count(distinct id) as datasets from funding
  where funder is not null and id in (select id from reported_affiliation where ror = $value)
  group by funder order by datasets desc, funder limit 10`;

/** The signal that a dataset passes if its files are open. */
const OPEN_ACCESS = "A5";

/** Number of funders that one view lists. */
const ROWS = 50;

const MAX_PAGES = 10_000;

/**
 * Makes the view that lists funders, with a search for their names.
 * @throws ProblemError `attribution-not-published` for a release before format 3
 */
export async function makeFunders(
  { query: { search, page: typed } }: TypedRequest<"funders">,
  api: ApiClient,
  { movements }: Pick<SiteContext, "movements">,
): Promise<View> {
  const page = z.coerce.number().pipe(z.int().min(1).max(MAX_PAGES)).catch(1).parse(typed);
  const { data, total, stated, over } = await api.query(async (release) => {
    const { engine } = release;
    if (!engine.hasJoinTables) {
      throw new ProblemError(
        "attribution-not-published",
        "The current release was built without funders. The operator can build a new one.",
      );
    }
    const all = `select name from ${TABLES.funderNames}`;
    const { sql, parameters } = search.trim() === "" ? { sql: all, parameters: {} } : namesLike(all, search, false);
    const [count] = await engine.rows(`select cast(count(*) as integer) from (${sql}) as named`, parameters);
    const rows = await engine.rows(
      `select name, datasets from (${sql}) as named join ${TABLES.funderNames} using (name)
       order by datasets desc, name limit ${ROWS} offset $offset`,
      { ...parameters, offset: (page - 1) * ROWS },
    );
    const names = rows.map(([name]) => String(name));
    const stated = await engine.totals.of("datasets with a funder", async () => {
      const [row] = await engine.rows(`select cast(count(distinct position) as integer) from ${TABLES.funders}`);
      return Number(row?.[0] ?? 0);
    });
    const { scored, insufficient, failed } = release.receipt.coverage;
    return {
      data: rows.map(([name, datasets]) => ({ name: String(name), datasets: Number(datasets) })),
      total: Number(count?.[0] ?? 0),
      stated: { datasets: stated, all: scored + insufficient + failed },
      over: await readOverTime(release, selectGroups("funders", names), PUBLIC_VERSIONS[0], movements),
    };
  });
  const suggested = total > 0 ? [] : await similarNames("funders", { search }, api);
  const pagination = makePagination({ total, page, limit: ROWS });
  return fundersView({ search, data, pagination, stated, over, suggested });
}

/**
 * Makes the view of an institution or funder.
 * @throws ProblemError `not-found` if no dataset states the institution or funder
 */
export async function makeCollection(
  filter: CollectionPage["filter"],
  { key: value, version }: PageQuestion,
  api: ApiClient,
  { active, movements }: Pick<SiteContext, "active" | "movements">,
): Promise<View> {
  const query = { [filter]: value, rubric: version };
  const report = await api.get(improvements, "improvements", { query });
  if (report.data.datasets === 0) {
    const words = filter === "ror" ? "an institution with this ROR id" : "this funder";
    throw new ProblemError(
      "not-found",
      `No dataset of the current release states ${words}. Check the URL, or search the datasets for another spelling.`,
    );
  }
  const lowest = await api.list("records", { ...query, sortBy: "shareOfCap", limit: "5" });
  const { names, stated } = STATEMENTS[filter];
  const parameters: Parameters =
    filter === "ror" ? { value, version } : { value, identifier: readOrganisationId(value, CROSSREF_FUNDER) ?? "" };
  const { nameRows, awardRows, funderRows, count } = await api.query(async ({ engine }) => ({
    nameRows: await engine.rows(names, parameters),
    awardRows: filter === "funder" ? await engine.rows(AWARDS, parameters) : [],
    funderRows: filter === "ror" ? await engine.rows(FUNDERS, { value }) : [],
    count: await engine.rows(`select cast(count(distinct position) as integer) from ${stated}`),
  }));
  const profile = await api.query(({ engine }) => readProfile(engine, query));
  const { totalRecords } = await api.metrics(version);
  const datasetsWith = async (state: string) =>
    (await api.list("records", { ...query, signals: `${OPEN_ACCESS}:${state}`, limit: "1" })).pagination.total;
  return collectionView({
    filter,
    people: filter === "ror" ? await fetchPeople(nameRows[0]?.[4], api) : null,
    funders: funderRows.map(([name, datasets]) => ({ name: String(name), datasets: Number(datasets) })),
    value,
    names: nameRows.map(([name, datasets, further]) => ({
      name: String(name),
      datasets: Number(datasets),
      further: Number(further ?? 0),
    })),
    further: Number(nameRows[0]?.[3] ?? 0),
    awards: awardRows.map(([number, datasets]) => ({ number: String(number), datasets: Number(datasets) })),
    awardCount: Number(awardRows[0]?.[2] ?? 0),
    access: { open: await datasetsWith("passed"), closed: await datasetsWith("absent") },
    stated: { datasets: Number(count[0]?.[0] ?? 0), all: totalRecords },
    report,
    totals: profile.totals,
    buckets: { own: profile.buckets, others: sumBuckets(await countSignals(active, version)) },
    trend: await api.query(({ engine, receipt }) =>
      movements.readAverages(new URLSearchParams(query).toString(), version, receipt, engine),
    ),
    lowest: lowest.data,
    sources: sourceNames(),
    version,
  });
}

/** Returns the researchers who state the reported affiliation, those with the most datasets first. */
async function fetchPeople(institution: unknown, api: ApiClient): Promise<CollectionPage["people"]> {
  if (typeof institution !== "string") return null;
  const query = { institution, sortBy: "datasetCount", sortOrder: "desc", limit: "50" };
  const { data, pagination } = await api.list("authors", query);
  return { institution, total: pagination.total, first: data };
}

/** Returns the ROR id that the metadata state with each reported affiliation, if they state exactly one. */
export async function statedRors(
  engine: Pick<QueryEngine, "rows">,
  affiliations: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await engine.rows(
    `select institution_id, min(ror) from reported_affiliation
     where ror is not null and institution_id in (select unnest(string_split($ids, ',')))
     group by institution_id having count(distinct ror) = 1`,
    { ids: affiliations.map(({ id }) => id).join(",") },
  );
  return new Map(rows.map(([id, ror]) => [String(id), String(ror)]));
}

interface ChosenInstitution {
  readonly label: string;
  /** The ROR id that metadata state with the institution, and how many datasets state it; null if none, or several. */
  readonly ror: { readonly id: string; readonly datasets: number } | null;
}

/** Returns the institution of a filter; null without one, or if the release does not have it. */
export async function readInstitution(id: string | undefined, api: ApiClient): Promise<ChosenInstitution | null> {
  if (id === undefined) return null;
  const { data } = await api.list("institutions", { ids: id });
  const [found] = data;
  if (found === undefined) return null;
  const ror = (await api.query(({ engine }) => statedRors(engine, data))).get(id);
  if (ror === undefined) return { label: found.label, ror: null };
  const { pagination } = await api.list("records", { ror, limit: "1" });
  return { label: found.label, ror: { id: ror, datasets: pagination.total } };
}
