/** Serves a published release with nginx as users find it, which is as files over plain HTTP. Also records the requests. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { freePort } from "../support/free-port.ts";
import { startNginx } from "../support/nginx.ts";

export interface FileServer extends AsyncDisposable {
  readonly address: string;
  /**
   * Returns the requests so far, one line each, with path, status and range. Waits up to ten seconds until `isComplete` is
   * true.
   */
  asked(isComplete: (lines: readonly string[]) => boolean): Promise<readonly string[]>;
}

/** Serves the files of a folder unchanged. */
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
