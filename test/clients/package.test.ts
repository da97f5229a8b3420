/** Checks the files, size and types of the npm package, and calls every operation of a real server with it. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApi } from "../../api-static/openapi/index.ts";
import type { OperationName } from "../../client/operation-types.ts";
import { fencedBlocks } from "../architecture/fenced-blocks.ts";
import { CHROMIUM, openBrowser } from "../site/chromium.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { type Given, World } from "./every-operation.ts";
import { serveModules } from "./module-server.ts";
import { type PackedClient, packedClient } from "./packed-client.ts";

interface Ended {
  readonly status: number | null;
  readonly said: string;
}

/**
 * Makes a folder for a program that can import the project's packages. It is separate, because other suites use the project
 * too.
 */
function makeProgramFolder(project: string): string {
  const folder = mkdtempSync(join(tmpdir(), "share-program-"));
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return folder;
}

/** Compiles programs in strict mode with tsc. Also checks the types of the packages, unless `skipLibCheck` is true. */
function compileIn(project: string, programs: Readonly<Record<string, string>>, skipLibCheck = false): Ended {
  const folder = makeProgramFolder(project);
  try {
    for (const [name, program] of Object.entries(programs)) writeFileSync(join(folder, `${name}.ts`), program);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck,
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      module: "nodenext",
      moduleResolution: "nodenext",
      types: [],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const compiler = join(REPOSITORY, "client/node_modules/typescript/bin/tsc");
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, "--project", folder], {
      encoding: "utf8",
    });
    return { status, said: `${stdout}${stderr}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program without blocking, because its server is in this process. */
async function runIn(project: string, program: string): Promise<Ended> {
  const folder = makeProgramFolder(project);
  try {
    writeFileSync(join(folder, "program.js"), program);
    const child = spawn(process.execPath, ["program.js"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
    const [said, failed] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { status: await closed, said: `${said}${failed}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PATIENCE = 300_000;

let packed: PackedClient;
let world: World;

beforeAll(async () => {
  [packed, world] = await Promise.all([packedClient(), World.make()]);
}, PATIENCE);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await packed?.[Symbol.asyncDispose]();
});

const OPERATIONS = Object.values(openApi().paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId),
);

/** Returns the texts of the modules that `name` loads from the package, the module itself first. */
function readModules(name: string, seen = new Set<string>()): Map<string, string> {
  const text = readFileSync(join(packed.folder, "dist", name), "utf8");
  seen.add(name);
  const further = [...text.matchAll(/from "\.\/([^"]+)"/g)]
    .map(([, path = ""]) => path)
    .filter((path) => !seen.has(path));
  return new Map([[name, text], ...further.flatMap((path) => (seen.has(path) ? [] : [...readModules(path, seen)]))]);
}

describe("the packed files of the npm package", () => {
  test("the npm package contains the build output, the README and the manifest, and nothing else", () => {
    const names = readdirSync(packed.folder, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => !/^dist(?:\/|$)/.test(name)).sort()).toEqual(["README.md", "package.json"]);
    expect(names.filter((name) => /\.(?:js|d\.ts)$/.test(name)).length).toBeGreaterThan(10);
    expect(names.filter((name) => /^dist\//.test(name) && !/\.(?:js|d\.ts)$|^dist\/release$/.test(name))).toEqual([]);
  });

  test("the npm package has at most 10 KB compressed, without the release reader", () => {
    const fetching = readFileSync(join(packed.project, "node_modules/openapi-fetch/dist/index.mjs"), "utf8");
    const modules = [...readModules("index.js").values(), fetching];
    expect(modules.length).toBeGreaterThan(5);
    expect(gzipSync(modules.join("\n"), { level: 9 }).length).toBeLessThanOrEqual(10_240);
  });

  test("no file of the npm package imports a module of Node, except the command", () => {
    const names = readdirSync(join(packed.folder, "dist"), { recursive: true, encoding: "utf8" });
    for (const name of names.filter((each) => each.endsWith(".js") && each !== "command.js")) {
      const text = readFileSync(join(packed.folder, "dist", name), "utf8");
      expect({ name, of: /["']node:|\b(?:process|Buffer|require)\b/.exec(text)?.[0] ?? null }).toEqual({
        name,
        of: null,
      });
    }
  });

  test(
    "a project in strict mode can import the types of the API, and they reject wrong calls",
    () => {
      const right = `import { Problem, shareClient, type AnswerOf } from "share-release-client";
const share = shareClient({ baseUrl: "https://share.example.org" });
export async function total(): Promise<number | undefined> {
  const record = await share.record({ id: "r", rubric: "1.0" });
  const signals: readonly string[] = record.signals.map(({ state }) => state);
  for await (const row of share.each("records", { minScore: 80 })) return row.score?.total ?? signals.length;
  for await (const { countryCode } of share.each("geography")) if (countryCode.length > 3) throw new Problem({} as never, null);
  const bytes: Uint8Array = await share.releaseFile({ digest: "latest", file: "release.json" });
  const badge: string = await share.datasetBadge({ id: "r" });
  const made: AnswerOf<"register"> = await share.register({ body: { name: badge, email: "a@example.org" } });
  const { data } = await share.api.GET("/records/{id}", { params: { path: { id: made.key } } });
  return data?.score?.total ?? bytes.length;
}
`;
      expect(compileIn(packed.project, { right })).toEqual({ status: 0, said: "" });
      const WRONG = [
        `share.record({ rubric: "2.0" })`,
        `share.record({ id: "r", rubric: "3.0" })`,
        `share.records({ sortBy: "nothing" })`,
        `share.each("metrics")`,
        `share.register({ body: { name: "no base URL" } })`,
        `share.metrics().then((metrics) => metrics.nothing)`,
      ];
      const programs = WRONG.map((line, i) => [
        `wrong${i}`,
        `import { shareClient } from "share-release-client";\nconst share = shareClient({ baseUrl: "x" });\n${line};\n`,
      ]);
      const { said } = compileIn(packed.project, Object.fromEntries(programs), true);
      expect(WRONG.filter((_line, i) => !said.includes(`wrong${i}.ts(3,`))).toEqual([]);
    },
    PATIENCE,
  );
});

describe("the npm client with a real server", () => {
  test(
    "the npm client calls every operation of a real server",
    async () => {
      const { shareClient } = await packed.load();
      const share = shareClient({ baseUrl: world.url, fetch: world.visitor() });
      const call = (name: OperationName, { path, query, body }: Given) => {
        const given = { ...path, ...query, ...(body === undefined ? {} : { body }) };
        const ask: (given: object) => Promise<unknown> = share[name] as never;
        return ask(given);
      };
      const asked = await world.askEverything("package", call);
      expect([...new Set(asked)].sort()).toEqual([...OPERATIONS].sort());
    },
    PATIENCE,
  );

  test(
    "the examples in the README of the npm client print what they show",
    async () => {
      const blocks = fencedBlocks(readFileSync(join(packed.folder, "README.md"), "utf8"));
      expect(readFileSync(join(packed.folder, "README.md"), "utf8")).toBe(
        readFileSync(join(REPOSITORY, "client/README.md"), "utf8"),
      );
      const programs = blocks.filter(({ language, notRun }) => language === "js" && notRun === null);
      expect(programs.length).toBeGreaterThan(4);
      for (const block of programs) {
        const shown = blocks[blocks.indexOf(block) + 1];
        const { status, said } = await runIn(
          packed.project,
          block.text.replaceAll("https://share.example.org", world.url),
        );
        expect({ line: block.line, status, said }).toEqual({ line: block.line, status: 0, said: expect.any(String) });
        if (shown?.language === "text")
          expect({ line: block.line, said: said.trim() }).toEqual({ line: block.line, said: shown.text.trim() });
      }
    },
    PATIENCE,
  );

  test.skipIf(CHROMIUM === null)(
    "the npm client works without a bundler in a page of another origin",
    async () => {
      await using modules = await serveModules(packed.project);
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        await page.goto(modules.url);
        await modules.addTo(page);
        const seen = await page.evaluate(`(async () => {
        const { shareClient, Problem } = await import("share-release-client");
        const share = shareClient({ baseUrl: ${JSON.stringify(world.url)} });
        const { data: [row] } = await share.records({ sortBy: "score", sortOrder: "desc", limit: 1 });
        const record = await share.record({ id: row.id });
        const rejected = await share.record({ id: "r" + "0".repeat(24) }).catch((problem) => problem);
        const ids = [];
        for await (const { id } of share.each("records", { minScore: row.score.total })) ids.push(id);
        return { same: record.score.total === row.score.total, found: ids.includes(row.id),
          code: rejected instanceof Problem && rejected.code, badge: (await share.datasetBadge({ id: row.id })).slice(0, 4) };
      })()`);
        expect(seen).toEqual({ same: true, found: true, code: "dataset-not-found", badge: "<svg" });
      } finally {
        await browser.close();
      }
    },
    PATIENCE,
  );
});
