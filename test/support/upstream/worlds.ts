/**
 * Small services, one for each source, which respond in the format of the source. Their pages are smaller than requested, because
 * the pages of real services may be smaller, too.
 */

import { type Asked, type Reply, slicePage } from "./service.ts";
import { many, NOT_FOUND, type World } from "./world.ts";

const SIZE = 5;
const COUNT = 23;

const day = (i: number) => new Date(Date.UTC(2020, 0, 1 + i)).toISOString();
const parameter = ({ url }: Asked, name: string) => url.searchParams.get(name);
const number = (asked: Asked, name: string, otherwise: number) => Number(parameter(asked, name) ?? otherwise);
const last = ({ url }: Asked) => decodeURIComponent(url.pathname.split("/").filter(Boolean).at(-1) ?? "");

/** DataCite: the link to the next page contains a cursor. */
function datacite(): World {
  const all = many(COUNT, (i) => ({ id: `10.5555/${i}`, type: "dois", attributes: { doi: `10.5555/${i}` } }));
  return {
    source: "datacite",
    counts: true,
    ids: all.map(({ id }) => id),
    first: all[0],
    dialect(asked) {
      const page = number(asked, "page[cursor]", 1);
      const next = new URL("/dois", asked.base);
      next.searchParams.set("page[cursor]", String(page + 1));
      const links = page * SIZE < COUNT ? { next: next.href } : {};
      return { json: { data: slicePage(all, page, SIZE), meta: { total: COUNT }, links } };
    },
  };
}

/** Zenodo: a request contains the number of the page. */
function zenodo(): World {
  const all = many(60, (i) => ({ id: i + 1, created: day(i), metadata: { title: `Title ${i}` } }));
  return {
    source: "zenodo",
    counts: true,
    ids: all.map(({ id }) => String(id)),
    first: all[0],
    dialect(asked) {
      const [page, size] = [number(asked, "page", 1), number(asked, "size", 10)];
      const next = `${asked.base}/api/records?page=${page + 1}`;
      const links = page * size < all.length ? { next } : {};
      return { json: { hits: { hits: slicePage(all, page, size), total: all.length }, links } };
    },
  };
}

/** ClinicalTrials.gov: the response body contains a token for the next page. */
function clinicaltrials(): World {
  const nct = (i: number) => `NCT${String(i).padStart(8, "0")}`;
  const all = many(COUNT, (i) => ({ protocolSection: { identificationModule: { nctId: nct(i) } } }));
  return {
    source: "clinicaltrials",
    counts: true,
    ids: all.map((_, i) => nct(i)),
    first: all[0],
    dialect(asked) {
      const page = number(asked, "pageToken", 1);
      const token = page * SIZE < COUNT ? { nextPageToken: String(page + 1) } : {};
      return { json: { totalCount: COUNT, studies: slicePage(all, page, SIZE), ...token } };
    },
  };
}

/** Dryad: responses are HAL, and the files of each dataset are on separate pages. */
function dryad(): World {
  const doi = (i: number) => `10.5061/dryad.t${i}`;
  const versions = (i: number) => ({ "stash:version": { href: `/api/v2/versions/${i}` } });
  const all = many(COUNT, (i) => ({
    _links: versions(i),
    identifier: `doi:${doi(i).toUpperCase()}`,
    title: `Title ${i}`,
  }));
  const files = (i: number, page: number) => {
    const here = `/api/v2/versions/${i}/files`;
    const next = i === 0 && page < 3 ? { next: { href: `${here}?page=${page + 1}` } } : {};
    return {
      _links: { self: { href: here }, ...next },
      _embedded: { "stash:files": [{ path: `f${page}.csv`, size: page }] },
    };
  };
  return {
    source: "dryad",
    counts: true,
    ids: all.map((_, i) => doi(i)),
    first: { dataset: all[0], files: [files(0, 1), files(0, 2), files(0, 3)] },
    dialect(asked) {
      const version = /^\/api\/v2\/versions\/(\d+)\/files$/.exec(asked.url.pathname)?.[1];
      const page = number(asked, "page", 1);
      if (version === "3") return { status: 403, json: { error: "not public" } };
      if (version !== undefined) return { json: files(Number(version), page) };
      if (asked.url.pathname !== "/api/v2/datasets") return NOT_FOUND;
      const next = page * SIZE < COUNT ? { next: { href: `/api/v2/datasets?page=${page + 1}` } } : {};
      const self = { href: page === 1 ? "/api/v2/datasets" : `/api/v2/datasets?page=${page}` };
      const embedded = { "stash:datasets": slicePage(all, page, SIZE) };
      return { json: { _links: { self, ...next }, count: SIZE, total: COUNT, _embedded: embedded } };
    },
  };
}

/** OpenNeuro: requests are GraphQL by POST, and a private dataset is null in the list. */
function openneuro(): World {
  const accession = (i: number) => `ds${String(i).padStart(6, "0")}`;
  const all = many(COUNT, (i) => ({ id: accession(i), name: `Name ${i}`, public: true }));
  return {
    source: "openneuro",
    counts: true,
    ids: all.filter((_, i) => i !== 7).map(({ id }) => id),
    rejected: 1,
    first: all[0],
    dialect(asked) {
      const { query, variables } = JSON.parse(asked.body);
      if (!String(query).includes("datasets(")) return { json: { data: { dataset: all[0] } } };
      const offset =
        variables.after === null ? 0 : JSON.parse(Buffer.from(variables.after, "base64").toString()).offset;
      const edges = all.slice(offset, offset + SIZE).map((node, i) => (offset + i === 7 ? null : { node }));
      const endCursor = Buffer.from(JSON.stringify({ offset: offset + SIZE })).toString("base64");
      const pageInfo = { endCursor, hasNextPage: offset + SIZE < COUNT, count: COUNT };
      const errors = offset === SIZE ? { errors: [{ message: "not public", path: ["datasets"] }] } : {};
      return { json: { ...errors, data: { datasets: { edges, pageInfo } } } };
    },
  };
}

/**
 * NCBI: a search is stored under a name, and then its summaries are requested. An unknown id gives an error with status 200.
 */
function eutils(db: string, items: readonly Record<string, unknown>[], envs: Set<string>) {
  return (asked: Asked): Reply => {
    const isSearch = asked.url.pathname.endsWith("/esearch.fcgi");
    if (isSearch) {
      const env = `MCID_${envs.size}_${db}`;
      envs.add(env);
      return { json: { esearchresult: { count: String(items.length), idlist: [], webenv: env, querykey: "1" } } };
    }
    if (!envs.has(parameter(asked, "WebEnv") ?? "")) {
      return { json: { esummaryresult: ["Unable to obtain query #1"] } };
    }
    const start = number(asked, "retstart", 0);
    const page = items.slice(start, start + SIZE);
    const members = Object.fromEntries(page.map((item) => [String(item.uid), item]));
    return { json: { header: {}, result: { uids: page.map(({ uid }) => String(uid)), ...members } } };
  };
}

function geo(): World & { readonly forget: () => void } {
  const envs = new Set<string>();
  const all = many(COUNT, (i) =>
    i === 4
      ? { uid: "200000004", error: "cannot get document summary" }
      : { uid: String(200_000_000 + i), accession: `GSE${i}`, entrytype: "GSE" },
  );
  return {
    source: "geo",
    counts: true,
    ids: all.flatMap((_, i) => (i === 4 ? [] : [`GSE${i}`])),
    rejected: 1,
    first: all[0],
    dialect: eutils("gds", all, envs),
    forget: () => envs.clear(),
  };
}

function sra(): World {
  const envs = new Set<string>();
  const projects = many(COUNT, (i) => ({
    uid: String(100 + i),
    project_acc: `PRJNA${100 + i}`,
    project_title: `Title ${i}`,
  }));
  const list = eutils("bioproject", projects, envs);
  const experiments = (project: string) =>
    many(project === "PRJNA100" ? SIZE + 2 : project === "PRJNA101" ? 0 : 1, (i) => ({
      uid: String(i + 1),
      expxml: ` <Summary/><Study acc="SRP000${100 + i}"/><Bioproject>${project}</Bioproject> `,
      runs: ` <Run acc="SRR${i}"/> `,
    }));
  let project = "";
  const answer = (items: Record<string, unknown>[]) => {
    const members = Object.fromEntries(items.map((item) => [String(item.uid), item]));
    return { header: {}, result: { uids: items.map(({ uid }) => String(uid)), ...members } };
  };
  const ofFirst = experiments("PRJNA100");
  return {
    source: "sra",
    counts: true,
    ids: projects.map(({ project_acc }) => project_acc),
    first: { project: projects[0], experiments: [answer(ofFirst.slice(0, SIZE)), answer(ofFirst.slice(SIZE))] },
    dialect(asked) {
      if (parameter(asked, "db") === "bioproject") return list(asked);
      const term = parameter(asked, "term");
      if (term !== null) project = term.split("[")[0] ?? "";
      // Each search for reads is stored under the name of its project.
      const env = parameter(asked, "WebEnv") ?? "";
      const items = experiments(env === "" ? project : env);
      if (env !== "") return { json: answer(items.slice(number(asked, "retstart", 0)).slice(0, SIZE)) };
      return { json: { esearchresult: { count: String(items.length), webenv: project, querykey: "1" } } };
    },
  };
}

/** NASA CMR: one header has the position in the list, and another the number of hits. */
function nasaCmr(): World {
  const all = many(COUNT, (i) => ({ meta: { "concept-id": `C${i + 1}-TEST` }, umm: { ShortName: `Name ${i}` } }));
  return {
    source: "nasa_cmr",
    counts: true,
    ids: all.map(({ meta }) => meta["concept-id"]),
    first: all[0],
    dialect(asked) {
      const after = Number(asked.headers["cmr-search-after"] ?? 0);
      const items = all.slice(after, after + SIZE);
      const place: Record<string, string> = items.length > 0 ? { "CMR-Search-After": String(after + SIZE) } : {};
      return { json: { hits: COUNT, took: 1, items }, headers: { "CMR-Hits": String(COUNT), ...place } };
    },
  };
}

/** EDI: lists are plain text and documents are XML. One identifier has no revisions. */
function edi(): World {
  const scopes = ["edi", "knb-lter-tst", "empty"];
  const ids = [1, 2, 3, 4, 5, 6, 7];
  const eml = (scope: string, id: number) =>
    `<?xml version="1.0"?>\n<eml:eml xmlns:eml="eml://x" packageId="${scope}.${id}.${id}"><dataset><title>A &amp; B</title></dataset></eml:eml>`;
  const rmd = (scope: string, id: number) =>
    `<resourceMetadata><packageId>${scope}.${id}.${id}</packageId></resourceMetadata>`;
  const reads = "<resourceReads><resource><totalReads>3</totalReads></resource></resourceReads>";
  const xml = (body: string): Reply => ({ body, type: "application/xml" });
  const text = (lines: readonly unknown[]): Reply => ({ body: `${lines.join("\n")}\n`, type: "text/plain" });
  const all = ["edi", "knb-lter-tst"].flatMap((scope) => ids.map((id) => `${scope}.${id}.${id}`));
  return {
    source: "edi",
    counts: false,
    ids: all.filter((id) => id !== "edi.4.4"),
    gone: ["edi.4"],
    first: { eml: eml("edi", 1), rmd: rmd("edi", 1), reads },
    dialect(asked) {
      const [service, kind, ...rest] = asked.url.pathname.split("/").filter(Boolean);
      if (service === "audit") return xml(reads);
      if (kind === "eml" && rest.length === 0) return text(scopes);
      if (kind === "eml" && rest.length === 1) return text(rest[0] === "empty" ? [] : ids);
      const missing: Reply = { status: 404, body: "Unable to find the package", type: "text/plain" };
      if (kind === "eml") return rest.join() === "edi,4" ? missing : text([rest[1]]);
      const [, scope = "", id] = rest;
      if (kind === "metadata") return xml(eml(scope, Number(id)));
      return Number(id) % 2 === 0 ? missing : xml(rmd(scope, Number(id)));
    },
  };
}

/** OpenAIRE: the response body contains a cursor. */
function openaire(): World {
  const id = (i: number) => `test________::${String(i).padStart(32, "0")}`;
  const all = many(COUNT, (i) => ({ id: id(i), type: "dataset", mainTitle: `Title ${i}` }));
  return {
    source: "openaire",
    counts: true,
    ids: all.map((product) => product.id),
    first: all[0],
    dialect(asked) {
      const cursor = parameter(asked, "cursor") ?? "*";
      const start = cursor === "*" ? 0 : Number(cursor);
      const results = all.slice(start, start + SIZE);
      return { json: { header: { numFound: COUNT, pageSize: SIZE, nextCursor: String(start + SIZE) }, results } };
    },
  };
}

/** Dataverse: a search lists datasets, and each dataset is requested separately. One of them is listed but not accessible. */
function dataverse(): World {
  const doi = (i: number) => `10.7910/DVN/T${i}`;
  const dataset = (i: number) => ({
    status: "OK",
    data: { id: i, latestVersion: { datasetPersistentId: `doi:${doi(i)}` } },
  });
  return {
    source: "dataverse",
    counts: true,
    ids: many(COUNT, (i) => doi(i).toLowerCase()).filter((_, i) => i !== 5),
    gone: [`doi:${doi(5)}`],
    first: dataset(0),
    dialect(asked) {
      if (asked.url.pathname === "/api/search") {
        const start = number(asked, "start", 0);
        const items = many(COUNT, (i) => ({ type: "dataset", global_id: `doi:${doi(i)}` })).slice(start, start + SIZE);
        return {
          json: { status: "OK", data: { q: "*", total_count: COUNT, start, items, count_in_response: items.length } },
        };
      }
      const i = many(COUNT, (n) => `doi:${doi(n)}`).indexOf(parameter(asked, "persistentId") ?? "");
      if (i >= 0 && i !== 5) return { json: dataset(i) };
      return { status: 404, json: { status: "ERROR", message: "Dataset with Persistent ID not found." } };
    },
  };
}

/** Figshare: the list has no total, and each article and its statistics are requested separately. */
function figshare(): World {
  const all = many(COUNT, (i) => ({ id: 1000 + i, title: `Title ${i}`, published_date: day(i), defined_type: 3 }));
  // The first has more files than an article lists.
  const files = many(12, (i) => ({ id: i, name: `f${i}.csv`, size: i }));
  const listed = (i: number) => (i === 0 ? { files: files.slice(0, 10) } : {});
  const article = (i: number) => ({ ...all[i], ...listed(i), description: "<p>Text</p>", license: { name: "CC0" } });
  return {
    source: "figshare",
    counts: false,
    ids: all.map(({ id }) => String(id)),
    first: { article: article(0), files, views: { totals: 7 }, downloads: { totals: 3 } },
    dialect(asked) {
      const { pathname } = asked.url;
      if (pathname === "/v2/articles") return { json: slicePage(all, number(asked, "page", 1), SIZE) };
      if (pathname.endsWith("/files")) return pathname.includes("/1000/") ? { json: files } : NOT_FOUND;
      const i = Number(last(asked)) - 1000;
      if (pathname.startsWith("/total/")) {
        if (i % 3 === 1) return { status: 404, json: { message: "no statistics" } };
        return { json: { totals: pathname.includes("/views/") ? 7 : 3 } };
      }
      return all[i] === undefined ? NOT_FOUND : { json: article(i) };
    },
  };
}

/** OSF: responses are JSON:API, there are two lists, and the files of each record are requested separately. */
function osf(): World {
  const guid = (i: number) => `n${String(i).padStart(4, "0")}`;
  const make = (type: string) => (i: number) => ({
    id: guid(type === "nodes" ? i : 500 + i),
    type,
    attributes: { title: `A &amp; B ${i}` },
  });
  const lists: Record<string, { readonly id: string }[]> = {
    nodes: many(COUNT, make("nodes")),
    registrations: many(7, make("registrations")),
  };
  const files = (page: number, base: string, id: string) => ({
    data: [{ id: `f${page}`, type: "files", attributes: { name: `f${page}.csv` } }],
    links: { next: id === guid(0) && page < 2 ? `${base}/v2/nodes/${id}/files/osfstorage/?page=${page + 1}` : null },
  });
  return {
    source: "osf",
    counts: true,
    ids: [...(lists.nodes ?? []), ...(lists.registrations ?? [])].map(({ id }) => id),
    first: null,
    dialect(asked) {
      const [, list = "", id, part] = asked.url.pathname.split("/").filter(Boolean);
      const page = number(asked, "page", 1);
      if (part === "files" && id !== undefined) return { json: files(page, asked.base, id) };
      const all = lists[list] ?? [];
      if (id !== undefined) {
        const found = all.find((node) => node.id === id);
        return found === undefined
          ? { status: 404, json: { errors: [{ detail: "Not found." }] } }
          : { json: { data: found } };
      }
      const next = page * SIZE < all.length ? `${asked.base}/v2/${list}/?page=${page + 1}` : null;
      return {
        json: { data: slicePage(all, page, SIZE), links: { next, meta: { total: all.length, per_page: SIZE } } },
      };
    },
  };
}

/**
 * Functions that create the small service of each source. Each test creates a new one, because some services record requests.
 */
export const WORLDS: Readonly<Record<string, () => World>> = {
  clinicaltrials,
  datacite,
  dataverse,
  dryad,
  edi,
  figshare,
  geo,
  nasa_cmr: nasaCmr,
  openaire,
  openneuro,
  osf,
  sra,
  zenodo,
};
