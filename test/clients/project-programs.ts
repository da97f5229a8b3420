/** Programs in a project that has the package installed: compiled, and run. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { REPOSITORY } from "../support/bundled-corpus.ts";

export interface Ended {
  readonly status: number | null;
  readonly said: string;
}

/** A folder of its own beside the packages of the project, which others read too. */
function besideOf(project: string): string {
  const folder = mkdtempSync(join(tmpdir(), "share-program-"));
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return folder;
}

/** Compiles programs by name, strictly, the types of packages included unless they are skipped, with the compiler that most projects have. */
export function compileIn(project: string, programs: Readonly<Record<string, string>>, skipLibCheck = false): Ended {
  const folder = besideOf(project);
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

/** Runs a program without blocking: the server that it asks is in this process. */
export async function runIn(project: string, program: string): Promise<Ended> {
  const folder = besideOf(project);
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
