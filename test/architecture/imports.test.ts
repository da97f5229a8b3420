/** The rules that keep the code readable, held against every file: who may use whom, and what a file looks like. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { REPOSITORY } from "../support/bundled-corpus.ts";
import { rulesBroken } from "./import-rules.ts";
import { modules, ourFiles, usesIn } from "./our-files.ts";

let texts: Map<string, string>;

beforeAll(async () => {
  texts = await modules();
});

/** Paths of modules below some folders. */
function below(...folders: string[]): string[] {
  return [...texts.keys()].filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
}

describe("imports", () => {
  test("are seen in every form they take", () => {
    const text = `
      import { a } from "../a.ts";
      import type {
        B,
      } from "./b.ts";
      import "./c.ts";
      export { d } from "./d.ts";
      const e = await import("./e.ts");
      const f = new URL("./f.sql", import.meta.url);
      import { join } from "node:path";`;
    expect(
      usesIn("x/y/z.ts", text)
        .map(({ to }) => to)
        .sort(),
    ).toEqual(["x/a.ts", "x/y/b.ts", "x/y/c.ts", "x/y/d.ts", "x/y/e.ts", "x/y/f.sql"]);
  });

  const WRONG: readonly (readonly [from: string, to: string])[] = [
    ["schemas/tables.ts", "api-static/numbers.ts"],
    ["schemas/tables.ts", "package.ts"],
    ["api-static/page.ts", "pipeline/store.ts"],
    ["pipeline/build.ts", "server/index.ts"],
    ["pipeline/store.ts", "cli/effects.ts"],
    ["server/index.ts", "cli/shared.ts"],
    ["server/index.ts", "fixtures/write.ts"],
    ["pipeline/build.ts", "fixtures/write.ts"],
    ["fixtures/write.ts", "cli/effects.ts"],
    ["cli/build.ts", "test/support/effects.ts"],
    ["bench/run.ts", "cli/effects.ts"],
    ["pipeline/2-normalise/index.ts", "pipeline/1-harvest/limits.ts"],
    ["pipeline/5-render/index.ts", "pipeline/6-release/digest.ts"],
    ["pipeline/pages/columns.ts", "pipeline/3-score/compile.ts"],
    ["server/lookups.ts", "pipeline/3-score/compile.ts"],
    ["pipeline/sources/zenodo/texts.ts", "pipeline/sources/datacite/texts.ts"],
    ["pipeline/sources/zenodo/texts.ts", "pipeline/sources/index.ts"],
  ];
  for (const [from, to] of WRONG) {
    test(`${from} may not use ${to}`, () => expect(rulesBroken({ from, to })).toHaveLength(1));
  }

  test("keep every rule, and lead to files that are there", () => {
    const uses = [...texts].flatMap(([from, text]) => usesIn(from, text));
    expect(uses.length).toBeGreaterThan(500);
    const broken = uses.flatMap((use) => rulesBroken(use).map((rule) => `${use.from} → ${use.to}: ${rule}`));
    // A test may write imports of files that are not there, as this one does.
    const lost = uses.filter(({ from, to }) => !from.startsWith("test/") && !existsSync(join(REPOSITORY, to)));
    expect({ broken, lost }).toEqual({ broken: [], lost: [] });
  });
});

/** Words only some folders may say, and where they may not. Every other layer is handed these as effects. */
const WORDS: readonly { name: string; folders: readonly string[]; pattern: RegExp; examples: readonly string[] }[] = [
  {
    name: "no clock below cli/ and server/: the as-of date and effects.now are handed down",
    folders: ["pipeline", "api-static", "schemas", "fixtures"],
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\.(?:now|timeOrigin)\b|\bhrtime\b/,
    examples: ["Date.now()", "new Date()", "performance.now()", "process.hrtime.bigint()"],
  },
  {
    name: "no chance below cli/ and server/ but effects.random and the seed",
    folders: ["pipeline", "api-static", "schemas", "fixtures"],
    pattern: /\bMath\.random\b|\brandomInt\b|\brandomBytes\b|\bgetRandomValues\b/,
    examples: ["Math.random()"],
  },
  {
    name: "only the command line prints, reads the environment or exits",
    folders: ["server", "pipeline", "api-static", "schemas", "fixtures"],
    pattern: /\bprocess\.(?:env|exit|exitCode|argv|cwd|stdout|stderr|stdin|abort)\b|\bconsole\.\w/,
    examples: ["process.env.HOME", "process.exit(1)", "process.exitCode = 1", "console.log(1)", "process.stdout"],
  },
  {
    name: "no global fetch below the command line: a service is asked through effects.fetch",
    folders: ["server", "pipeline", "api-static", "schemas", "fixtures"],
    pattern: /(?<![.\w])fetch\(|\bglobalThis\.fetch\b/,
    examples: ["await fetch(url)", "globalThis.fetch"],
  },
];

for (const { name, folders, pattern, examples } of WORDS) {
  test(name, () => {
    for (const example of examples) expect(example).toMatch(pattern);
    const said = below(...folders).flatMap((path) =>
      (texts.get(path) ?? "")
        .split("\n")
        .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
    );
    expect(said).toEqual([]);
  });
}

describe("files", () => {
  const MOST_LINES = 300;
  /** Longer, and why that is right. */
  const LONGER: Readonly<Record<string, string>> = {
    "schemas/tables.ts": "data: every column of every table, one a line",
  };

  test(`have at most ${MOST_LINES} lines, tests and data aside`, () => {
    const code = below("schemas", "api-static", "pipeline", "server", "cli", "bin", "fixtures", "bench", "docs");
    const long = code.filter((path) => (texts.get(path) ?? "").split("\n").length - 1 > MOST_LINES);
    expect(long).toEqual(Object.keys(LONGER));
  });

  test("open with a sentence on their purpose", () => {
    const PURPOSE = /^(?:#![^\n]+\n)?\/\*\*\s+(?:\* )?[`\w-]+(?:[^*]|\*(?!\/)){15,}?\*\/\n/;
    expect('import x from "./x.ts";\n/** What this is for. */\n').not.toMatch(PURPOSE);
    const silent = [...texts].filter(([, text]) => !PURPOSE.test(text)).map(([path]) => path);
    expect(silent).toEqual([]);
  });

  test("are named in kebab-case", async () => {
    const named = (await ourFiles()).filter((path) => /\.(?:[jt]s|sql)$/.test(path));
    const wrong = named.filter(
      (path) => !/(?:^|\/)[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|config|soak\.config))?\.\w+$/.test(path),
    );
    expect(wrong).toEqual([]);
  });
});
