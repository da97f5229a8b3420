/**
 * The Python package share-scores: its wheel and sdist install into an empty environment, its types and style are checked, its
 * own suite passes, and the examples of its README run against a server.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { decode } from "html-entities";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scoreRelease } from "../../releases/score/index.ts";
import { parseOwnContract } from "../../releases/score/own-contract.ts";
import { recordList } from "../../schemas/public/api/record.ts";
import { fencedBlocks } from "../architecture/fenced-blocks.ts";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { HAS_NGINX } from "../support/nginx.ts";
import { type Serving, startServing } from "../support/serving.ts";
import { PYTHON_ENVIRONMENT, python } from "../support/share-scores.ts";
import { type BundledRelease, bundledRelease } from "../support/temporary-store.ts";
import { type FileServer, serveFolder } from "./published-release.ts";

const SELF = "test/clients/python.test.ts";
const PACKAGE = join(REPOSITORY, "python");
const PATIENCE = 120_000;
const EXAMPLES = fencedBlocks(readFileSync(join(PACKAGE, "README.md"), "utf8")).filter(({ runBy }) => runBy === SELF);

let folder: string;
let program: string;
let bundled: BundledRelease;
let files: FileServer;
let server: Serving;
let environment: NodeJS.ProcessEnv;

/** Returns the example of a contract in docs/method.md. */
const exampleOfOwnContract = () =>
  fencedBlocks(readFileSync(join(REPOSITORY, "docs/method.md"), "utf8")).find(
    ({ runBy }) => runBy === "test/release/score.test.ts",
  )?.text ?? "";

/** Runs a Python tool, for example the type checker, in the folder of the package. */
const tool = (...parameters: readonly string[]) => runIn(PACKAGE, python ?? "python3", ["-m", ...parameters]);

function runIn(cwd: string, command: string, parameters: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, parameters, {
    cwd,
    encoding: "utf8",
    env: environment,
    timeout: PATIENCE,
  });
  return { status, said: `${stdout}${stderr}` };
}

/** Runs Python with the source of the package, without blocking this process. */
async function runBeside(parameters: readonly string[], cwd: string) {
  const env = { ...environment, PYTHONPATH: join(PACKAGE, "src") };
  const child = spawn(python ?? "python3", parameters, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [said, failed] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  return { status: await closed, said: `${said}${failed}` };
}

describe.skipIf(python === null || !HAS_NGINX)("the Python package share-scores", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "share-python-"));
    bundled = await bundledRelease();
    files = await serveFolder(bundled.store.releases);
    server = await startServing(["--store", bundled.store.root, "--rate", "100000"], {});
    const name = bundled.receipt.releaseDigest.replace(":", "-");
    const [contract, scores] = [join(folder, "own.json"), join(folder, "own.parquet")];
    writeFileSync(contract, exampleOfOwnContract());
    const parsed = parseOwnContract(readFileSync(contract), contract);
    await scoreRelease(bundled.folder, bundled.receipt, parsed, scores, { threads: 1 });
    environment = {
      ...PYTHON_ENVIRONMENT,
      SHARE_FOLDER: bundled.folder,
      SHARE_FILES: `${files.address}/${name}`,
      SHARE_SERVER: `http://localhost:${server.port}`,
      SHARE_REPOSITORY: REPOSITORY,
      SHARE_OWN_CONTRACT: contract,
      SHARE_OWN_SCORES: scores,
    };
  }, PATIENCE);

  afterAll(async () => {
    await server?.end();
    await files?.[Symbol.asyncDispose]();
    await bundled?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the Python package passes mypy and ruff", { timeout: PATIENCE }, () => {
    const cache = join(folder, "mypy");
    expect(tool("mypy", "--strict", "--cache-dir", cache)).toEqual({
      status: 0,
      said: expect.stringContaining("no issues"),
    });
    expect(tool("ruff", "check", "--no-cache", "src", "tests")).toMatchObject({ status: 0 });
    expect(tool("ruff", "format", "--no-cache", "--check", "src", "tests")).toMatchObject({ status: 0 });
  });

  test("the Python package imports only its declared dependencies", () => {
    const modules = readdirSync(join(PACKAGE, "src/share_scores")).filter((name) => name.endsWith(".py"));
    const imported = modules.flatMap((name) =>
      [...readFileSync(join(PACKAGE, "src/share_scores", name), "utf8").matchAll(/^\s*(?:from|import) (\w+)/gm)].map(
        ([, found]) => found,
      ),
    );
    const own = `import sys; print(sorted({${[...new Set(imported)].map((each) => `"${each}"`)}} - sys.stdlib_module_names))`;
    expect(runIn(folder, python ?? "", ["-c", own]).said.trim()).toBe(
      "['cryptography', 'duckdb', 'httpx', 'polars', 'pyarrow']",
    );
  });

  test("the Python package installs from its wheel and its sdist into an empty environment, and then verifies a release", {
    timeout: PATIENCE,
  }, () => {
    expect(tool("build", "--no-isolation", "--outdir", folder)).toMatchObject({ status: 0 });
    const archives = readdirSync(folder).filter((name) => /\.(?:whl|tar\.gz)$/.test(name));
    expect(archives.toSorted()).toEqual([expect.stringMatching(/\.whl$/), expect.stringMatching(/\.tar\.gz$/)]);
    for (const archive of archives) {
      const empty = join(folder, `environment-${archive.length}`);
      expect(runIn(folder, python ?? "", ["-m", "venv", "--without-pip", empty])).toMatchObject({ status: 0 });
      const packages = runIn(folder, join(empty, "bin/python"), [
        "-c",
        "import sysconfig; print(sysconfig.get_path('purelib'))",
      ]).said.trim();
      // Its dependencies are those of the environment of tools, because nothing is downloaded here.
      const installed = runIn(folder, python ?? "", [
        "-c",
        "import sysconfig; print(sysconfig.get_path('purelib'))",
      ]).said.trim();
      writeFileSync(join(packages, "tools.pth"), `${installed}\n`);
      const options = [
        "-m",
        "pip",
        "--python",
        join(empty, "bin/python"),
        "install",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--quiet",
      ];
      expect(runIn(folder, python ?? "", [...options, join(folder, archive)])).toMatchObject({ status: 0 });
      program = join(empty, "bin/share-scores");
      environment = { ...environment, PYTHONPATH: undefined };
      expect(runIn(folder, program, ["verify", bundled.folder])).toEqual({
        status: 0,
        said: expect.stringMatching(/^\d+ values, 0 of them differ\. Compared: .+\. Not compared: .+\.\n$/),
      });
    }
  });

  test("the Python package passes its own test suite", { timeout: PATIENCE }, async () => {
    const { status, said } = await runBeside(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"], PACKAGE);
    expect({ status, said }).toEqual({ status: 0, said: expect.stringMatching(/\d+ passed/) });
  });

  test.each([
    "/datasets?repository=Zenodo&minScore=20&order=score+desc&page=1",
    "/datasets/{id}",
    "/researchers?search=a",
    "/countries",
  ])("the Python example at the end of the page %s runs", { timeout: PATIENCE }, async (path) => {
    const records = await fetch(`${environment.SHARE_SERVER}/records?limit=1`);
    const [record] = recordList.parse(await records.json()).data;
    const page = await fetch(`${environment.SHARE_SERVER}${path.replace("{id}", record?.id ?? "")}`, {
      headers: { accept: "text/html" },
    });
    const [, example = ""] = /aria-label="Python">([^<]+)<\/pre>/.exec(await page.text()) ?? [];
    const { status, said } = await runBeside(["-c", decode(example)], folder);
    expect({ status, said }).toEqual({ status: 0, said: expect.stringMatching(/\S/) });
  });

  test.each(EXAMPLES)(
    "the example in line $line of the Python package's README runs",
    { timeout: PATIENCE },
    async ({ text }) => {
      const example = text.replaceAll("https://share.example.org", environment.SHARE_SERVER ?? "");
      const { status, said } = await runBeside(["-c", example], folder);
      expect({ status, said }).toEqual({ status: 0, said: expect.stringMatching(/\S/) });
      expect(said).not.toContain("Traceback");
    },
  );
});
