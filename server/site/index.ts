/** The site: handlers of the views, the home view, and the view of a problem. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { listRepositories } from "../../api-static/pages/metrics.ts";
import { routeNamed, type SiteRouteName } from "../../api-static/routes/index.ts";
import {
  ATOM_TYPE,
  CACHE,
  CSS_TYPE,
  FONT_TYPE,
  PNG_TYPE,
  repositoryKey,
  SVG_TYPE,
  TEXT_TYPE,
} from "../../api-static/routes/route.ts";
import { publicContract } from "../../pipeline/rubrics/contracts.ts";
import { readPledges, sourceNames } from "../../pipeline/sources/pledges.ts";
import { crosswalk, improvements } from "../../schemas/public/api/improvements.ts";
import { metricsHistory, type RepositoryFigures } from "../../schemas/public/api/metrics.ts";
import { researcherDetail } from "../../schemas/public/api/researcher.ts";
import { rubricDescriptor } from "../../schemas/public/api/rubric.ts";
import { releaseList, serviceStatus } from "../../schemas/public/api/service.ts";
import type { Problem } from "../../schemas/public/problem.ts";
import { PUBLIC_VERSIONS, type PublicVersion, publicVersion } from "../../schemas/public/rubric.ts";
import type { PastFigures } from "../../schemas/public/site/queries.ts";
import { sumPoints } from "../../web/components/bars.ts";
import { sumBuckets } from "../../web/components/bucket-profile.ts";
import type { View } from "../../web/components/document.ts";
import { FAVICON, type Logo } from "../../web/components/face.ts";
import { imprintView } from "../../web/views/imprint.ts";
import { llmsText } from "../../web/views/llms.ts";
import { movementView } from "../../web/views/movement.ts";
import {
  AFFILIATIONS_FIELDS,
  affiliationsView,
  countriesView,
  rejectedAffiliationsView,
} from "../../web/views/places.ts";
import { privacyView, staticPrivacyView } from "../../web/views/privacy.ts";
import { releasesView } from "../../web/views/releases.ts";
import { releasesFeed } from "../../web/views/releases-feed.ts";
import { type PledgedSource, repositoriesView, repositoryView } from "../../web/views/repositories.ts";
import {
  chooseResearcherSort,
  hasFigures,
  MAX_REPOSITORIES,
  RESEARCHER_DATASETS_ORDER,
  type ResearchersWork,
  type ResearcherWork,
  type ResearcherYear,
  researchersView,
  researcherView,
} from "../../web/views/researchers.ts";
import { signalsView, signalView } from "../../web/views/signals.ts";
import type { RenderProblemPage } from "../http/framework.ts";
import { contentResponse, type HttpResponse, ProblemError, redirectResponse } from "../http/response.ts";
import { type Handler, type Handlers, type TypedRequest, unknownKey } from "../http/routes.ts";
import { countryNames } from "../read/facets.ts";
import { allRepositories, lastYear, readGroups, readOverTime, selectGroups } from "../read/groups.ts";
import { TABLES } from "../read/list-tables.ts";
import { storedRelease } from "../read/open-release.ts";
import type { QueryEngine } from "../read/query-engine.ts";
import { releaseContents } from "../read/release-contents.ts";
import { changesFeedHandlers } from "./changes-feeds.ts";
import { makeComparison } from "./compare.ts";
import { withCountryCode, withCountryError } from "./country-field.ts";
import { countSignals, overall } from "./counts.ts";
import { makeDataset, makeDatasets, makeDatasetsCsv, makeLinkset, splitOrder } from "./datasets.ts";
import { find, orcidFault, similarNames, suggest, suggestionsFor } from "./find.ts";
import { formHandlers } from "./forms.ts";
import { helpHandlers } from "./help.ts";
import { homeHandler, makeHomeView, readDiff, readKnown } from "./home.ts";
import { makeCollection, makeFunders, readInstitution, statedRors } from "./institutions-and-funders.ts";
import {
  type ApiClient,
  ApiRedirect,
  errorsIn,
  findRedirectTarget,
  orShowForm,
  problemPage,
  type SiteContext,
  unless,
  type ViewOrResponse,
  viewHandler,
  viewHandlers,
} from "./page-handler.ts";
import { makeRepairs, makeUpdates, repairableDatasets } from "./repairs.ts";
import { ownDatasets, readSIndexIf } from "./s-index.ts";
import { respondPicture } from "./share-pictures.ts";
import { robots, siteMap, siteMapPart } from "./site-map.ts";

export interface SitePages {
  readonly handlers: Handlers<SiteRouteName>;
  readonly home: Handler<"index">;
  readonly problem: RenderProblemPage;
}

/** Makes the handlers of the site. `index` responds to programs at the root. */
export function sitePages(index: Handler<"index">, context: SiteContext): SitePages {
  return {
    handlers: {
      ...fileHandlers(context),
      ...pageHandlers(context),
      ...changesFeedHandlers(context),
      ...pictureHandlers(context),
      ...helpHandlers(context),
      ...formHandlers(context),
    },
    home: homeHandler(index, context),
    problem: (rejected) => problemPage(rejected, context),
  };
}

type PictureName = Extract<SiteRouteName, `${string}-picture`>;

/** Returns the handlers of the pictures beside links to views. A picture needs figures of its view, which is made first. */
function pictureHandlers(context: SiteContext): Handlers<PictureName> {
  const makeHandler = <Name extends PictureName>(
    name: Name,
    makeView: (key: string, api: ApiClient) => Promise<ViewOrResponse>,
  ) =>
    viewHandler(name, context, async (typedRequest, api) => {
      const { cache } = routeNamed(name);
      try {
        return await respondPicture(await makeView(`${typedRequest.key}`, api), cache, context);
      } catch (error) {
        if (!(error instanceof ApiRedirect)) throw error;
        return redirectResponse(`${findRedirectTarget(error).path}/card.png`, cache);
      }
    });
  const [version] = PUBLIC_VERSIONS;
  return {
    "home-picture": makeHandler("home-picture", (_key, api) => makeHomeView(api, context)),
    "dataset-picture": makeHandler("dataset-picture", (key, api) => makeDataset({ key, version }, api, context)),
    "researcher-picture": makeHandler("researcher-picture", (key, api) =>
      makeResearcher({ key, query: { rubric: version, order: "", page: "" } }, api, context),
    ),
    "repository-picture": makeHandler("repository-picture", (key, api) =>
      makeRepository({ key, version }, api, context),
    ),
    "organisation-picture": makeHandler("organisation-picture", (key, api) =>
      makeCollection("ror", { key, version }, api, context),
    ),
    "funder-picture": makeHandler("funder-picture", (key, api) =>
      makeCollection("funder", { key, version }, api, context),
    ),
    "signal-picture": makeHandler("signal-picture", (key, api) => makeSignal({ key, version }, api, context)),
  };
}

/** The file of the font Inter, with its Latin letters in all weights, 48 KB. */
const FONT = fileURLToPath(import.meta.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"));

/** Returns the handlers of the files that are not made from the release. */
function fileHandlers(context: SiteContext) {
  const { signIn, face } = context;
  const style = contentResponse(Buffer.from(face.sheet), CSS_TYPE, CACHE.immutable);
  const font = contentResponse(readFileSync(FONT), FONT_TYPE, CACHE.immutable);
  return {
    llms: async () => contentResponse(Buffer.from(llmsText(signIn.site.origin)), TEXT_TYPE, CACHE.page),
    "datasets-csv": (typedRequest, reply) => makeDatasetsCsv(typedRequest, reply, context),
    // A URL with the current version of the style sheet is cached forever, any other URL for a short time.
    style: async ({ query: { v } }) =>
      v === face.styleVersion ? style : { ...style, headers: { ...style.headers, "cache-control": CACHE.page } },
    font: async () => font,
    favicon: async () => contentResponse(Buffer.from(FAVICON), SVG_TYPE, CACHE.page),
    "logo-svg": async () => logoResponse(face.logo, "/logo.svg", SVG_TYPE),
    "logo-png": async () => logoResponse(face.logo, "/logo.png", PNG_TYPE),
    robots: async () => robots(signIn.site.origin),
  } satisfies Partial<Handlers<SiteRouteName>>;
}

function pageHandlers(context: SiteContext) {
  const { signIn, face } = context;
  const { origin } = signIn.site;
  const named = ({ key, query }: { readonly key: string; readonly query: { readonly rubric: string } }) => ({
    key,
    version: requestedVersion(query.rubric),
  });
  return viewHandlers(context, {
    find,
    suggestions: suggest,
    datasets: makeDatasets,
    dataset: (typedRequest, api) => makeDataset(named(typedRequest), api, context),
    "dataset-linkset": ({ key }, api) => makeLinkset(key, api, context),
    compare: (typedRequest, api) =>
      makeComparison(typedRequest, requestedVersion(typedRequest.query.rubric), api, context),
    researchers: makeResearchers,
    researcher: makeResearcher,
    repositories: ({ query }, api) => makeRepositories(requestedVersion(query.rubric), api, context),
    repository: (typedRequest, api) => makeRepository(named(typedRequest), api, context),
    "repairs-csv": ({ key }, api) => makeRepairs(key, api),
    "updates-jsonl": ({ key }, api) => makeUpdates(key, api),
    signals: ({ query }, api) => makeSignals(requestedVersion(query.rubric), api, context),
    signal: (typedRequest, api) => makeSignal(named(typedRequest), api, context),
    organisation: (typedRequest, api) => makeCollection("ror", named(typedRequest), api, context),
    funders: makeFunders,
    funder: (typedRequest, api) => makeCollection("funder", named(typedRequest), api, context),
    affiliations: makeAffiliations,
    countries: (_asked, api) => makeCountries(api, context),
    imprint: async () => {
      if (face.imprint === null)
        throw new ProblemError("not-found", "This site has no imprint. The operator can add one with SHARE_IMPRINT.");
      return imprintView(face.imprint);
    },
    "site-map": (_asked, api) => siteMap(api, origin),
    "site-map-part": ({ key }, api) => siteMapPart(Number(key), api, origin),
    "releases-page": (_asked, api) => makeReleases(api, context),
    movement: ({ key }, api) => makeMovement(key, api, context),
    "releases-feed": makeFeed,
    privacy: async () =>
      context.isStatic
        ? staticPrivacyView(context.contact, face.privacy)
        : privacyView(signIn.orcid !== null, face.privacy),
  });
}

/**
 * Returns the public version that the URL of a view names; the first version if it names none.
 * @throws ProblemError `unsupported-rubric` if there is no such version
 */
function requestedVersion(text: string): PublicVersion {
  if (text === "") return PUBLIC_VERSIONS[0];
  const version = publicVersion.safeParse(text);
  if (version.success) return version.data;
  throw new ProblemError(
    "unsupported-rubric",
    `This SHARE version is unknown. The public versions are ${PUBLIC_VERSIONS.join(" and ")}.`,
  );
}

/**
 * Returns the logo of the site as a response.
 * @throws ProblemError `not-found` if the site has no logo of this type
 */
function logoResponse(logo: Logo | null, path: Logo["path"], type: string): HttpResponse {
  if (logo?.path !== path)
    throw new ProblemError(
      "not-found",
      "This site has no logo in this format. The operator sets the logo with SHARE_LOGO.",
    );
  return contentResponse(Buffer.from(logo.bytes), type, CACHE.page);
}

async function makeAffiliations(
  { query, request }: TypedRequest<"affiliations">,
  api: ApiClient,
  context: SiteContext,
): Promise<ViewOrResponse> {
  const filters = withCountryCode(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== "")));
  const work = async () => {
    const version = requestedVersion(filters.rubric ?? "");
    const { data, pagination } = await api.list("institutions", {
      limit: "50",
      sortBy: "recordCount",
      sortOrder: "desc",
      ...filters,
    });
    const attribution = context.active.release?.receipt.attribution ?? null;
    const rors = await api.query(({ engine }) => statedRors(engine, data));
    const ids = data.map(({ id }) => id);
    const over = await api.query((release) =>
      readOverTime(release, selectGroups("institutions", ids), version, context.movements),
    );
    const suggested = pagination.total > 0 ? [] : await similarNames("institutions", filters, api);
    const countries = countryNames(data.flatMap(({ countryCode }) => countryCode ?? []));
    return affiliationsView({ filters, data, pagination, attribution, rors, countries, over, suggested });
  };
  const again = async (problem: Problem) => {
    const errors = errorsIn(AFFILIATIONS_FIELDS, problem);
    return errors === null ? null : rejectedAffiliationsView(filters, withCountryError(errors, filters));
  };
  return orShowForm(work, again, request, context);
}

async function makeCountries(api: ApiClient, { active, past }: Pick<SiteContext, "active" | "past">): Promise<View> {
  const { data } = await api.list("geography", {});
  const receipt = active.release?.receipt;
  const before = receipt === undefined ? null : await past.readCountries(receipt, PUBLIC_VERSIONS[0]);
  return countriesView(data, receipt?.attribution ?? null, before);
}

const BEST = "5";

async function makeRepositories(
  version: PublicVersion,
  api: ApiClient,
  { active, past }: Pick<SiteContext, "active" | "past">,
): Promise<View> {
  const metrics = await api.metrics(version);
  const prevalence = await countSignals(active, version);
  const sums = [...Map.groupBy(prevalence, ({ repository }) => repository)].map(
    ([repository, own]) => [repository, sumPoints(own)] as const,
  );
  return api.query(async ({ engine, receipt }) => {
    const groups = await readGroups(engine, allRepositories(version), version);
    const before = await past.readRepositories(receipt, version);
    return repositoriesView(metrics, version, { groups, before, until: lastYear(receipt), sums: new Map(sums) });
  });
}

/** Largest number of repositories with which a repository is compared on its page. */
const MAX_PEERS = 10;

/**
 * Returns the figures of a repository, and those of the largest repositories with the same main source.
 * @throws ProblemError `repository-not-found`
 */
async function fetchFigures(label: string, version: PublicVersion, api: ApiClient) {
  const metrics = await api.metrics(version);
  const all = listRepositories(metrics);
  const figures = all.find(({ repository }) => repository === label);
  if (figures === undefined) throw unknownKey(repositoryKey);
  const source = findMainSource(figures);
  const peers = all
    .filter((each) => each.repository !== label && findMainSource(each) === source)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MAX_PEERS);
  const sameSource = new Set(all.filter((each) => findMainSource(each) === source).map(({ repository }) => repository));
  return { figures, source, peers, sameSource };
}

function findMainSource({ bySource }: RepositoryFigures): string | undefined {
  return bySource.toSorted((one, other) => other.count - one.count)[0]?.source;
}

async function makeRepository(
  { key, version }: { readonly key: string; readonly version: PublicVersion },
  api: ApiClient,
  { active, past, movements, signIn }: Pick<SiteContext, "active" | "past" | "movements" | "signIn">,
): Promise<View> {
  const { figures, source, peers, sameSource } = await fetchFigures(key, version, api);
  const sources = new Set(figures.bySource.map(({ source }) => source));
  const prevalence = await countSignals(active, version);
  const status = await api.get(serviceStatus, "status");
  const best = await api.list("records", {
    repository: key,
    sortBy: "score",
    sortOrder: "desc",
    limit: BEST,
    rubric: version,
  });
  const [movement] = await api.query(async ({ receipt, engine }) =>
    movements.of({ kind: "repository", value: key }, [receipt], engine, version),
  );
  const repairable = await api.query((open) => repairableDatasets(open, key));
  const names = sourceNames();
  return repositoryView({
    figures,
    repairable,
    peers: { source: names.get(source ?? "") ?? "", repositories: peers },
    version,
    names,
    pledges: pledgedSources(version).filter(({ source }) => sources.has(source)),
    currency: status.sources
      .filter(({ source }) => sources.has(source))
      .map(({ got, ...source }) => ({ ...source, harvested: got })),
    improvements: await api.get(improvements, "repository-improvements", { key, query: { rubric: version } }),
    crosswalk: await api.get(crosswalk, "repository-crosswalk", { key, query: { rubric: version } }),
    prevalence: prevalence.filter(({ repository }) => repository === key),
    buckets: {
      own: sumBuckets(prevalence.filter(({ repository }) => repository === key)),
      ...(peers.length === 0
        ? { others: sumBuckets(prevalence), othersWords: "all datasets here" }
        : {
            others: sumBuckets(prevalence.filter(({ repository }) => repository !== key && sameSource.has(repository))),
            othersWords: `other datasets read through ${names.get(source ?? "") ?? source}`,
          }),
    },
    best: best.data,
    trend: await readTrend(figures, version, { active, past }),
    movement: movement ?? null,
    origin: signIn.site.origin,
  });
}

/** Returns the figures of a repository in earlier releases, and then those in the active release. */
async function readTrend(
  { repository, count, meanScore, meanCap, totalDistribution }: RepositoryFigures,
  version: PublicVersion,
  { active, past }: Pick<SiteContext, "active" | "past">,
): Promise<PastFigures[]> {
  const receipt = active.release?.receipt;
  if (receipt === undefined) return [];
  const { scoreReleaseVersion, releaseDigest, asOf, rubrics } = receipt;
  const contract = rubrics.find((each) => each.version === version)?.contract ?? "";
  const now = { scoreReleaseVersion, releaseDigest, asOf, contract, count, meanScore, meanCap, totalDistribution };
  return [...(await past.readRepositoryFigures(repository, version, releaseDigest)), now];
}

/** Number of researchers in one view. People are not ranked: those with an ORCID iD come first. */
const ROWS = "25";

async function makeResearchers(
  { query }: TypedRequest<"researchers">,
  api: ApiClient,
  context: SiteContext,
): Promise<View> {
  const filters = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  const { search = "" } = filters;
  const sortBy = chooseResearcherSort(filters);
  const { data, pagination } = await api.list("authors", { limit: ROWS, ...filters, sortBy });
  const suggested = pagination.total > 0 ? [] : await suggestionsFor(search, api);
  const work = await api.query(({ engine, receipt }) =>
    readWork(engine, data, lastYear(receipt), context.standings.current.hidden),
  );
  const institution = await readInstitution(filters.institution, api);
  return researchersView({
    filters,
    data,
    work,
    known: ["search", "institution", "rubric"].some((name) => name in filters) ? null : await readKnown(context, api),
    pagination,
    institution: institution?.label ?? null,
    suggested,
    orcidFault: orcidFault(search),
  });
}

/** Returns facts that distinguish researchers of the same name: their newest dataset, repositories and years. */
async function readWork(
  engine: Pick<QueryEngine, "rows">,
  people: readonly { readonly id: string }[],
  until: number,
  hidden: Iterable<string>,
): Promise<ResearchersWork> {
  const { sql, parameters } = selectGroups(
    "authors",
    people.map(({ id }) => id),
  );
  const rows = await engine.rows(
    `with own as materialized (
       select own.key, texts.repository, left(texts.pub_date, 4) as year, texts.title,
         concat(texts.pub_date, '/', texts.id) as place,
         -- A dataset counts once, by its best version, as in the number of datasets.
         scored.total is not null and row_number() over (
           partition by own.key, texts.version_family order by scored.total desc nulls last, position
         ) = 1 as counts
       from (${sql}) as own join ${TABLES.texts("records")} as texts using (position)
       join ${TABLES.listed("records", PUBLIC_VERSIONS[0])} as scored using (position)
     ),
     named as (
       select person.id as key, listed.text from ${TABLES.texts("authors")} as person
       join ${TABLES.listed("authors", PUBLIC_VERSIONS[0])} as listed using (position)
       where person.id in (select key from own)
     )
     select key, 'newest', arg_max(title, place), 0 from own where title is not null group by key
     union all
     select key, 'year', year, cast(count(*) as integer) from own where counts and year is not null group by key, year
     union all
     select key, 'repository', repository, cast(count(*) as integer) from own where repository is not null
     group by key, repository
     qualify row_number() over (partition by key order by count(*) desc, repository) <= ${MAX_REPOSITORIES}
     union all
     select named.key, 'namesakes', null, cast(count(*) as integer) from named
     join ${TABLES.listed("authors", PUBLIC_VERSIONS[0])} as same on same.text = named.text
     join ${TABLES.texts("authors")} as person on person.position = same.position
     where person.id not in (select unnest(string_split($hidden, ',')))
     group by named.key`,
    { ...parameters, hidden: [...hidden].join(",") },
  );
  const byKey = Map.groupBy(rows, ([key]) => String(key));
  const works = people.map(({ id }): readonly [string, ResearcherWork] => {
    const own = byKey.get(id) ?? [];
    const valuesOf = (kind: string) =>
      own.flatMap(([, each, value, count]) => (each === kind ? [{ value: String(value), count: Number(count) }] : []));
    const frequent = valuesOf("repository").toSorted(
      (one, other) => other.count - one.count || (one.value < other.value ? -1 : 1),
    );
    return [
      id,
      {
        newest: valuesOf("newest")[0]?.value ?? null,
        repositories: frequent.map(({ value }) => value),
        years: valuesOf("year").map(({ value, count }) => ({ year: Number(value), datasets: count })),
        namesakes: valuesOf("namesakes")[0]?.count ?? 1,
      },
    ];
  });
  return { until, byId: new Map(works) };
}

async function makeResearcher(
  { key, query }: Pick<TypedRequest<"researcher">, "key" | "query">,
  api: ApiClient,
  { signIn }: Pick<SiteContext, "signIn">,
): Promise<View> {
  const version = requestedVersion(query.rubric);
  const person = await api.get(researcherDetail, "author", { key, query: { rubric: version } });
  const order = query.order === "" ? RESEARCHER_DATASETS_ORDER : query.order;
  const list = await api.list("records", {
    author: person.id,
    page: query.page,
    limit: "10",
    ...splitOrder(order),
    rubric: version,
  });
  const { datasetCount, datasets } = person;
  // If some versions do not count, the steps are for the versions that do. The detail lists at most MAX_NAMED of them.
  const isWhole = datasetCount === 0 || list.pagination.total === datasetCount || datasets.length < datasetCount;
  const stepsOf = isWhole ? { author: person.id } : { ids: datasets.map(({ id }) => id).join(",") };
  const steps = hasFigures(person)
    ? {
        report: await api.get(improvements, "improvements", { query: { ...stepsOf, rubric: version } }),
        sources: sourceNames(),
        years: await api.query(({ engine }) => readYears(engine, person.id, version)),
        sIndex: await api.query(({ engine }) => readSIndexIf(engine, person.id, version)),
      }
    : null;
  return researcherView(person, { ...list, order }, steps, version, {
    origin: signIn.site.origin,
    hasOrcid: signIn.orcid !== null,
  });
}

/**
 * Returns the figures of a researcher for each year, the newest first. If a dataset has several versions, the version
 * that counts for the S-Index counts here too.
 */
async function readYears(
  engine: Pick<QueryEngine, "rows">,
  id: string,
  version: PublicVersion,
): Promise<ResearcherYear[]> {
  const rows = await engine.rows(
    `with own as (${ownDatasets("left(texts.pub_date, 4) as year", version)}),
     counted as (select year, case when place = 1 then total end as total from own)
     select year, cast(count(*) as integer), cast(count(total) as integer), cast(mean_of(sum(total), count(total)) as double)
     from counted group by year order by year desc nulls last`,
    { id },
  );
  return rows.map(([year, records, datasets, meanScore]) => ({
    year: year === null ? null : Number(year),
    records: Number(records),
    datasets: Number(datasets),
    meanScore: meanScore === null ? null : Number(meanScore),
  }));
}

/** Number of datasets with the highest scores that are read as examples, and of those with the lowest. */
const EXAMPLES_READ = "12";

async function makeSignals(
  version: PublicVersion,
  api: ApiClient,
  { active }: Pick<SiteContext, "active">,
): Promise<View> {
  const rubric = await api.get(rubricDescriptor, "rubric", { key: version });
  const prevalence = active.digest === null ? [] : await countSignals(active, version);
  return signalsView(rubric, overall(prevalence));
}

interface NamedSignal {
  readonly key: string;
  readonly version: PublicVersion;
}

/** Returns a signal, and how each source supports it. */
async function fetchSignal({ key, version }: NamedSignal, api: ApiClient) {
  const rubric = await api.get(rubricDescriptor, "rubric", { key: version });
  const signal = rubric.signals.find(({ id }) => id === key);
  if (signal === undefined) throw new Error(`the contract ${rubric.contract} has no signal ${key}; report this`);
  const sources = pledgedSources(version).flatMap(({ name, signals }) => {
    const own = signals.find(({ id }) => id === key);
    return own === undefined ? [] : [{ name, supported: own.supported, words: own.words }];
  });
  return { rubric, signal, sources };
}

async function makeSignal(
  { key, version }: NamedSignal,
  api: ApiClient,
  { active }: Pick<SiteContext, "active">,
): Promise<View> {
  const prevalence = await countSignals(active, version);
  return signalView({
    ...(await fetchSignal({ key, version }, api)),
    prevalence: prevalence.filter((each) => each.signal === key),
    examples: await examples(version, api),
  });
}

async function examples(version: PublicVersion, api: ApiClient) {
  const ends = await Promise.all(
    ["desc", "asc"].map((sortOrder) =>
      api.list("records", { sortBy: "score", sortOrder, limit: EXAMPLES_READ, rubric: version, minScore: "1" }),
    ),
  );
  const rows = ends.flatMap(({ data }) => data);
  return Promise.all(rows.map(({ id }) => api.record(id, version)));
}

/** Returns for each source which signals its metadata can show, with texts for people. */
function pledgedSources(version: PublicVersion): PledgedSource[] {
  const pledges = [...readPledges().values()];
  const { contract, signals } = publicContract(version);
  return pledges.map(({ source, name, homepage, attestation, contracts }) => ({
    source,
    name,
    homepage,
    attestation,
    signals: signals.map((signal) => {
      const pledged = contracts[contract]?.[signal.id];
      const supported = pledged?.supported === true;
      const words = pledged === undefined ? "" : pledged.supported ? pledged.advice : pledged.why;
      return { id: signal.id, name: signal.name, supported, words };
    }),
  }));
}

const MAX_ENTRIES = 30;

async function makeReleases(api: ApiClient, { signIn }: Pick<SiteContext, "signIn">): Promise<View> {
  const releases = await api.get(releaseList, "releases");
  const history = await unless(["history-not-published", "no-release"], api.get(metricsHistory, "history"));
  return releasesView(releases, history ?? [], signIn.site.origin);
}

/**
 * Returns the view of one release. `key` is the digest of the URL, or `latest`. The view itself does not show a
 * retraction of the active release, because the banner of every view shows it.
 */
async function makeMovement(
  key: string,
  api: ApiClient,
  { active, store, signIn }: Pick<SiteContext, "active" | "store" | "signIn">,
): Promise<View> {
  const digest = (key === "latest" ? (active.digest ?? key) : key).replace(":", "-");
  const release = await storedRelease(store, digest);
  const { releaseDigest } = release.receipt;
  return movementView({
    contents: await api.query(({ engine }) => releaseContents(release, engine)),
    diff: await readDiff(digest, api),
    digest,
    retraction: releaseDigest === active.digest ? null : (active.retractions.get(releaseDigest) ?? null),
    sources: sourceNames(),
    origin: signIn.site.origin,
  });
}

/** Returns the feed of releases. Like views, it is cached until another release is active or retracted. */
async function makeFeed(
  { request }: TypedRequest<"releases-feed">,
  api: ApiClient,
  { viewCache, signIn, face }: Pick<SiteContext, "viewCache" | "signIn" | "face">,
): Promise<HttpResponse> {
  const { moment } = viewCache;
  const releases = announcedReleases(await api.get(releaseList, "releases")).slice(0, MAX_ENTRIES);
  const entries = await Promise.all(
    releases.map(async (release) => ({
      release,
      diff: await readDiff(release.releaseDigest.replace(":", "-"), api),
    })),
  );
  const text = releasesFeed(entries, signIn.site.origin, face.title);
  const response = contentResponse(Buffer.from(text), ATOM_TYPE, CACHE.page);
  viewCache.set(request.target, response, moment);
  return response;
}

/** Returns the active release, its predecessors and retracted releases. A release that was never active is left out. */
function announcedReleases(releases: z.infer<typeof releaseList>): z.infer<typeof releaseList> {
  const before = new Map(releases.map(({ releaseDigest, previousReleaseDigest: digest }) => [releaseDigest, digest]));
  const chain = new Set<string>();
  let at = releases.find(({ active }) => active)?.releaseDigest ?? null;
  while (at !== null && !chain.has(at)) {
    chain.add(at);
    at = before.get(at) ?? null;
  }
  return releases.filter(({ releaseDigest, retraction }) => chain.has(releaseDigest) || retraction !== null);
}
