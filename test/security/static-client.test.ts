/** The npm package reads a published release from a hostile host without harm. */

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { Files } from "../../client/release/files.ts";
import { readManifest } from "../../client/release/manifest.ts";
import { sending } from "../../client/sending.ts";
import { mostBlocked } from "../support/blocked.ts";

async function filesFrom(respond: RequestListener) {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    files: new Files(`http://127.0.0.1:${port}/`, sending({ retries: 0 })),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Makes a response that sends bytes until the client disconnects. */
function endless(status: number): RequestListener {
  return (_request, response) => {
    response.writeHead(status);
    const more = () => {
      while (response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", more);
    more();
  };
}

describe("reading a response without an end", () => {
  test("a response without an end is read only up to the maximum size of a file", async () => {
    await using host = await filesFrom(endless(200));
    await expect(host.files.read("release.json", 1_000_000)).rejects.toThrow(/returns more than 1000000 bytes/);
  });

  test("a response without an end is read only as far as the requested part", async () => {
    await using host = await filesFrom(endless(206));
    await expect(host.files.part("pages/a.zst", { offset: 0, bytes: 10 })).rejects.toThrow(
      /returns more than 10 bytes/,
    );
  });

  test("the body of an error response is not read", async () => {
    await using host = await filesFrom(endless(404));
    await expect(host.files.read("release.json", 10)).rejects.toThrow(/responds with status 404/);
  });
});

describe("reading the manifest of a hostile host", () => {
  const line = (path: string) => JSON.stringify({ path, bytes: 1, sha256: "", index: { bytes: 1, sha256: "" } });

  test("the time to read a manifest grows with the number of its lines, and no faster", async () => {
    const text = Array.from({ length: 100_000 }, (_, i) => line(`data/${i}`)).join("\n");
    const packs = Array.from({ length: 256 }, (_, i) =>
      line(`pages/2.0/record.${i.toString(16).padStart(2, "0")}.zst`),
    );
    const { result, blocked } = await mostBlocked(async () => readManifest(`${text}\n${packs.join("\n")}\n`, "m"));
    const { files, packs: found } = result;
    expect([files.size, found.get("2.0/record")?.length]).toEqual([100_256, 256]);
    expect(blocked).toBeLessThan(5000);
  });

  test("a manifest that lists a path twice is rejected", () => {
    expect(() => readManifest(`${line("data/a")}\n${line("data/a")}\n`, "m")).toThrow("m lists data/a twice");
  });

  test("a manifest that is not JSON is rejected with its URL", () => {
    expect(() => readManifest("<html>", "https://host.example/manifest.ndjson")).toThrow(
      "https://host.example/manifest.ndjson is not the manifest of a release",
    );
  });
});
