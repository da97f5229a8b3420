/** The process of command-host.ts: `node command-host-child.ts <module>` runs commands as its parent sends them. */

import { z } from "zod";

const request = z.strictObject({
  parameters: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  folder: z.string(),
});

const command: { run(parameters: readonly string[]): Promise<void> } = await import(process.argv[2] ?? "");

// Every command adds listeners, which would be too many for one process without this.
process.stdout.setMaxListeners(0);

// This process ends with the suite that started it.
process.on("disconnect", () => process.exit());

process.on("message", async (message) => {
  const { parameters, environment, folder } = request.parse(message);
  const before = { environment: { ...process.env }, folder: process.cwd() };
  Object.assign(process.env, environment);
  process.chdir(folder);
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)];
  let exitCode: number;
  try {
    await command.run(parameters);
  } finally {
    exitCode = Number(process.exitCode ?? 0);
    process.exitCode = undefined;
    // Changes the object in place, because the command line holds a reference to it.
    for (const name of Object.keys(process.env)) if (!(name in before.environment)) delete process.env[name];
    Object.assign(process.env, before.environment);
    process.chdir(before.folder);
  }
  process.send?.({ exitCode, stdout: stdout(), stderr: stderr() });
});

/** Captures the output from now on. The returned function ends the capture and returns the output. */
function captured(stream: NodeJS.WriteStream): () => string {
  const { write } = stream;
  const chunks: Buffer[] = [];
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    chunks.push(Buffer.from(chunk));
    const written = rest.at(-1);
    if (typeof written === "function") written();
    return true;
  };
  return () => {
    stream.write = write;
    return Buffer.concat(chunks).toString();
  };
}
