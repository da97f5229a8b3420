/** Imports run one way: cli → server → releases → pipeline → web → api-static → schemas. */

import { expect, test } from "vitest";
import { type SourceFile, sourceFiles } from "./sources-of.ts";

const files = await sourceFiles();

/** For each top folder, the other top folders from which its files may import. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  "api-static": ["schemas"],
  pipeline: ["schemas", "api-static", "web"],
  releases: ["schemas", "api-static", "web", "pipeline"],
  web: ["schemas", "api-static"],
  // The client is installed alone, so it contains a copy of the API's types.
  client: [],
  server: ["schemas", "api-static", "pipeline", "releases", "web"],
  // Generated payloads are written to raw/ by the pipeline, as harvested payloads are.
  fixtures: ["schemas", "pipeline"],
  cli: ["schemas", "api-static", "pipeline", "releases", "server", "fixtures"],
  bin: ["cli"],
  // The npm package, and the script of the check page.
  score: ["schemas", "api-static", "web", "pipeline", "cli"],
  docs: ["schemas", "api-static", "pipeline", "releases", "web", "server", "fixtures", "cli"],
  bench: ["schemas", "api-static", "pipeline", "releases", "web", "server", "fixtures"],
};

/** The manifest. Every folder may import it, because it has the name and version of the package. */
const OF_NO_LAYER = "package.json";

/**
 * Folders whose code runs with production dependencies only. Code in other folders may also import development dependencies.
 */
const SHIPPED = ["schemas", "api-static", "pipeline", "releases", "web", "server", "fixtures", "cli", "bin"];

/** Files that may import stages: a build runs the stages in order, and an evaluation runs their code for one record. */
const COMPOSERS = /^pipeline\/(?:[a-z-]+\.ts|evaluate\/)/;

const getTop = (path: string) => path.split("/")[0] ?? "";
const findStage = (path: string) => /^pipeline\/\d-[a-z]+(?=\/)/.exec(path)?.[0] ?? null;
/**
 * Returns the folder of the source that a file belongs to, or null. `adapter/` defines the interface of sources and is not one.
 */
const findSource = (path: string) => /^pipeline\/sources\/(?!adapter\/)[^/]+(?=\/)/.exec(path)?.[0] ?? null;
/** True for stages 3 to 6 and the pages. They use evidence and rows, so they must not import a source. */
const knowsNoSource = (path: string) => /^pipeline\/(?:[3-6]-|pages\/|rubrics)/.test(path);

const RULES: readonly { name: string; broken: (file: SourceFile, imported: string) => boolean }[] = [
  {
    name: "a folder imports only folders below it",
    broken: ({ path }, imported) => {
      const allowed = LAYERS[getTop(path)];
      const own = getTop(imported) === getTop(path) || imported === OF_NO_LAYER;
      return allowed !== undefined && !own && !allowed.includes(getTop(imported));
    },
  },
  {
    name: "a stage imports no other stage",
    broken: ({ path }, imported) => {
      const [own, other] = [findStage(path), findStage(imported)];
      return own !== null && other !== null && own !== other;
    },
  },
  {
    name: "within the pipeline, only builds and evaluations import stages",
    broken: ({ path }, imported) =>
      getTop(path) === "pipeline" && findStage(path) === null && findStage(imported) !== null && !COMPOSERS.test(path),
  },
  {
    name: "the server imports releases but not stages",
    broken: ({ path }, imported) => getTop(path) === "server" && findStage(imported) !== null,
  },
  {
    name: "the HTTP part of the server does not know accounts, releases, evaluations or the site",
    broken: ({ path }, imported) =>
      path.startsWith("server/http/") && /^server\/(?:accounts|read|evaluations|site)\//.test(imported),
  },
  {
    name: "a source imports neither another source nor the list of sources",
    broken: ({ path }, imported) => {
      const [own, other] = [findSource(path), findSource(imported)];
      return own !== null && own !== other && (other !== null || imported === "pipeline/sources/index.ts");
    },
  },
  {
    name: "stages 3 to 6 import no source",
    broken: ({ path }, imported) =>
      knowsNoSource(path) && imported.startsWith("pipeline/sources/") && imported !== "pipeline/sources/pledges.ts",
  },
  {
    name: "a source imports nothing about scores, such as contracts and pages",
    broken: ({ path }, imported) =>
      findSource(path) !== null && /^(?:pipeline\/rubrics|schemas\/rubric|api-static)/.test(imported),
  },
];

for (const { name, broken } of RULES) {
  test(name, () => {
    const found = files.flatMap((file) =>
      file.imports.flatMap(({ file: imported }) =>
        imported !== null && broken(file, imported) ? [`${file.path} imports ${imported}`] : [],
      ),
    );
    expect(found).toEqual([]);
  });
}

test("every import resolves to a file of the repository or to a package in the manifest", async () => {
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  const { default: clients } = await import("../clients/package.json", { with: { type: "json" } });
  const { default: client } = await import("../../client/package.json", { with: { type: "json" } });
  const ofClients = new Set([
    ...Object.keys({ ...clients.devDependencies, ...client.optionalDependencies }),
    client.name,
  ]);
  const ofClient = new Set(Object.keys({ ...client.dependencies, ...client.optionalDependencies }));
  const own = new Set(files.map(({ path }) => path));
  const packages = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)]);
  const shipped = new Set(Object.keys(manifest.dependencies));
  const isKnown = (path: string, { file, specifier }: SourceFile["imports"][number]) => {
    // A test may name a missing worker, to check the error.
    if (file !== null) return own.has(file) || file.endsWith(".json") || getTop(path) === "test";
    if (specifier.startsWith("node:")) return true;
    // CloudFront's own module.
    if (path === "docs/operate/cloudfront.js") return specifier === "cloudfront";
    const name = specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : getTop(specifier);
    if (path.startsWith("test/clients/") && ofClients.has(name)) return true;
    if (getTop(path) === "client") return ofClient.has(name);
    return (SHIPPED.includes(getTop(path)) ? shipped : packages).has(name);
  };
  const unknown = files.flatMap((file) =>
    file.imports.filter((entry) => !isKnown(file.path, entry)).map(({ specifier }) => `${file.path}: ${specifier}`),
  );
  expect(unknown).toEqual([]);
});

test("a browser script imports no other file, because each function is served alone", () => {
  const scripts = files.filter(({ path }) => path.startsWith("web/script/"));
  expect(scripts.length).toBeGreaterThan(5);
  expect(scripts.filter(({ imports }) => imports.length > 0).map(({ path }) => path)).toEqual([]);
});

test("apart from types, no file imports itself, directly or through others", () => {
  const graph = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.flatMap(({ file, typesOnly }) => (file === null || typesOnly ? [] : [file])),
    ]),
  );
  expect([...graph.keys()].flatMap((path) => circleFrom(path, graph))).toEqual([]);
});

/** Maximum number of files that import each other, because such files can only be understood together. */
const MAX_TOGETHER = 3;

test(`no group of files that import each other has more than ${MAX_TOGETHER} files, types included`, () => {
  const product = files.filter(({ path }) => SHIPPED.includes(getTop(path)));
  const graph = new Map(
    product.map(({ path, imports }) => [path, imports.flatMap(({ file }) => (file === null ? [] : [file]))]),
  );
  const reached = new Map([...graph.keys()].map((path) => [path, reachableFrom(path, graph)]));
  const together = [...graph.keys()].map((path) =>
    [...(reached.get(path) ?? [])].filter((other) => reached.get(other)?.has(path) === true).sort(),
  );
  const knots = new Set(together.filter((knot) => knot.length > MAX_TOGETHER).map((knot) => knot.join(", ")));
  expect([...knots]).toEqual([]);
});

function reachableFrom(start: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const next of graph.get(path) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return seen;
}

/** Returns the shortest import cycle through a file, as text. Only the alphabetically first file of a cycle returns it. */
function circleFrom(start: string, graph: ReadonlyMap<string, readonly string[]>): string[] {
  const queue: string[][] = [[start]];
  const seen = new Set<string>();
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    for (const next of graph.get(way.at(-1) ?? "") ?? []) {
      if (next === start) return [[...way, start].join(" → ")];
      if (seen.has(next) || next < start) continue;
      seen.add(next);
      queue.push([...way, next]);
    }
  }
  return [];
}

test("every rule about imports finds a file that breaks it", () => {
  const made = (path: string, imported: string) =>
    RULES.filter(({ broken }) => broken({ path, code: "", imports: [] }, imported));
  const CASES: readonly [path: string, imported: string][] = [
    ["schemas/public/release.ts", "pipeline/store/store.ts"],
    ["pipeline/build.ts", "fixtures/write.ts"],
    ["server/index.ts", "cli/shared.ts"],
    ["web/views/home.ts", "pipeline/files/canonical-json.ts"],
    ["web/views/home.ts", "server/index.ts"],
    ["api-static/pages/read-page.ts", "web/html.ts"],
    ["client/client.ts", "schemas/public/problem.ts"],
    ["bench/run.ts", "cli/effects.ts"],
    ["cli/build.ts", "test/support/effects.ts"],
    ["server/read/open-release.ts", "pipeline/3-score/index.ts"],
    ["server/http/limits.ts", "server/accounts/api-keys.ts"],
    ["pipeline/3-score/index.ts", "pipeline/2-normalise/rows.ts"],
    ["pipeline/pages/columns.ts", "pipeline/6-release/index.ts"],
    ["pipeline/sources/zenodo/normalise.ts", "pipeline/sources/datacite/normalise.ts"],
    ["pipeline/sources/zenodo/normalise.ts", "pipeline/sources/index.ts"],
    ["pipeline/4-aggregate/index.ts", "pipeline/sources/index.ts"],
    ["pipeline/sources/zenodo/normalise.ts", "pipeline/rubrics/contracts.ts"],
  ];
  expect(CASES.map(([path, imported]) => made(path, imported).length > 0)).toEqual(CASES.map(() => true));
  expect(RULES.every((rule) => CASES.some(([path, imported]) => made(path, imported).includes(rule)))).toBe(true);
  const edges = files.reduce((sum, { imports }) => sum + imports.filter(({ file }) => file !== null).length, 0);
  expect(edges).toBeGreaterThan(500);
});
