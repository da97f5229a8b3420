/** What only a bucket has: faults of its service, and services that cannot do everything. */

import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { jsonLines, runCommand } from "../support/command-line.ts";
import { digestsIn } from "../support/tree.ts";
import { at } from "../trust/world.ts";
import { bucketPlace, PREFIX, type PublishedPlace, releaseAt } from "./places.ts";
import { published } from "./publications.ts";
import { BUCKET, CREDENTIALS, type Interference } from "./s3-server.ts";
import type { SmallWorld } from "./small-world.ts";

const isWrite = (request: IncomingMessage) => request.method === "PUT";

export function s3Cases(worldOf: () => SmallWorld): void {
  const publish = (place: PublishedPlace, digest: string) => published(worldOf().store, place, digest);

  const FAULTS: readonly { name: string; status: number; code: string; says: string }[] = [
    { name: "no bucket", status: 404, code: "NoSuchBucket", says: "make the bucket, or correct --to" },
    {
      name: "an unknown key",
      status: 403,
      code: "InvalidAccessKeyId",
      says: "give credentials as AWS tools take them",
    },
    {
      name: "a wrong secret",
      status: 403,
      code: "SignatureDoesNotMatch",
      says: "give credentials as AWS tools take them",
    },
    { name: "an expired token", status: 400, code: "ExpiredToken", says: "give credentials as AWS tools take them" },
    { name: "too few rights", status: 403, code: "AccessDenied", says: "these credentials may not do that" },
    { name: "another region", status: 301, code: "PermanentRedirect", says: "--region and --endpoint" },
    {
      name: "a fault nobody foresaw",
      status: 418,
      code: "TeapotOverflow",
      says: "TeapotOverflow: as told); the same command goes on",
    },
  ];

  test("faults name the object, and say what to do, in one line without credentials", async () => {
    const [older, newer] = [at(worldOf().digests, 0), at(worldOf().digests, 1)];
    await using place = await bucketPlace();
    await publish(place, older);
    for (const { name, status, code, says } of FAULTS) {
      place.s3.interfere((request) => (isWrite(request) ? { status, code } : null));
      const error = await publish(place, newer).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      const message = error instanceof Error ? error.message : "";
      expect([name, message]).toEqual([name, expect.stringContaining(says)]);
      expect(message).toMatch(
        new RegExp(`^cannot (?:write|copy to) s3://${BUCKET}/${PREFIX}/releases/sha256-.+ \\(${code}.*$`),
      );
      for (const secret of Object.values(CREDENTIALS).slice(0, 2)) expect(message).not.toContain(secret);
      expect(await place.pointed()).toBe(older);
    }
    place.s3.interfere(() => null);
    await publish(place, newer);
    expect(await place.pointed()).toBe(newer);
  });

  test("what passes is waited for: a busy service, and connections that break", async () => {
    const newer = at(worldOf().digests, 1);
    await using place = await bucketPlace();
    let left = 6;
    const troubles: Interference = (request) => {
      if (!isWrite(request) || left === 0) return null;
      left -= 1;
      return left % 2 === 0 ? "cut" : { status: 503, code: "SlowDown" };
    };
    place.s3.interfere(troubles);
    await publish(place, newer);
    expect(left).toBe(0);
    expect(await releaseAt(place, newer)).toEqual(await digestsIn(worldOf().store.release(newer)));
  });

  test("a service that neither copies nor tells of uploads does as well, and more is sent", async () => {
    const [older, newer] = [at(worldOf().digests, 0), at(worldOf().digests, 1)];
    await using place = await bucketPlace();
    place.s3.interfere((request) =>
      request.headers["x-amz-copy-source"] !== undefined || request.url?.includes("uploads") === true
        ? { status: 501, code: "NotImplemented" }
        : null,
    );
    await publish(place, older);
    const { unchanged, logged } = await publish(place, newer);
    expect(unchanged).toBe(0);
    expect(logged).toMatchObject([{ level: "warn", event: "publish-uploads-unlisted", reason: "NotImplemented" }]);
    expect(await releaseAt(place, newer)).toEqual(await digestsIn(worldOf().store.release(newer)));
  });

  test("the command: the active release by default, one line of JSON, and nothing to do the second time", async () => {
    await using place = await bucketPlace();
    const run = (...more: string[]) =>
      runCommand(["release", "publish", ...place.options, "--json", "--store", worldOf().store.root, ...more], {
        environment: CREDENTIALS,
      });
    const target = `s3://${BUCKET}/${PREFIX}`;
    const first = await run();
    expect(first).toMatchObject({ exitCode: 0 });
    expect(jsonLines(first.stdout)).toMatchObject([{ releaseDigest: at(worldOf().digests, 1), target, dryRun: false }]);
    expect(jsonLines((await run()).stdout)).toMatchObject([{ target, uploaded: 0, bytes: 0 }]);
    const other = await run(at(worldOf().digests, 0).slice(0, 20), "--dry-run");
    expect(jsonLines(other.stdout)).toMatchObject([{ releaseDigest: at(worldOf().digests, 0), dryRun: true }]);
    expect(await place.pointed()).toBe(at(worldOf().digests, 1));
  });
}
