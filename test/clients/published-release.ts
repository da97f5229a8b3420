/** A published release behind nginx, as strangers find it: a folder of files over plain HTTP, and a list of what was asked. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { freePort } from "../support/free-port.ts";
import { startNginx } from "../support/nginx.ts";

export interface FileServer extends AsyncDisposable {
  readonly address: string;
  /** Path, status and range of each request so far, a line each; waits for up to ten seconds until they are complete. */
  asked(isComplete: (lines: readonly string[]) => boolean): Promise<readonly string[]>;
}

/** Gives out a folder as it lies there. */
export async function serveFolder(folder: string): Promise<FileServer> {
  const port = await freePort();
  const place = mkdtempSync(join(tmpdir(), "share-files-"));
  const log = join(place, "access.log");
  appendFileSync(log, "");
  const nginx = await startNginx(
    `log_format asked "$uri $status $http_range";
     server { listen 127.0.0.1:${port}; root ${folder}; access_log ${log} asked; }`,
    port,
  );
  return {
    address: `http://127.0.0.1:${port}`,
    asked: async (isComplete) => {
      const lines = () => readFileSync(log, "utf8").split("\n").filter(Boolean);
      // nginx logs a request after its response has been sent.
      await vi.waitUntil(() => isComplete(lines()), { timeout: 10_000 });
      return lines();
    },
    async [Symbol.asyncDispose]() {
      await nginx.stop();
      rmSync(place, { recursive: true, force: true });
    },
  };
}
