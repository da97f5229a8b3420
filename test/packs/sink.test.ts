/** Tests packs that cannot be finished, and packs of an earlier release that have a badge with a wrong digest. */

import { hash } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packPath } from "../../pipeline/packs/format.ts";
import { PackSink, PreviousDamaged } from "../../pipeline/packs/pack-sink.ts";
import { ForgedPack, makePageEntry } from "./forged-pack.ts";
import { inOrder, makeRecordId, scratchFolder } from "./written-pack.ts";

const RANGE = { name: "" };
const BADGES = "2.0/dataset-badge";

test("the other packs of a range are complete or removed if one pack cannot be renamed", async () => {
  using folder = scratchFolder();
  const families = ["2.0/record", "2.0/impact", BADGES];
  const [first = "", blocked = ""] = families.map((family) => packPath(family, RANGE));
  mkdirSync(join(folder.path, blocked), { recursive: true });
  writeFileSync(join(folder.path, blocked, "in the way"), "");
  const sink = await PackSink.open(folder.path, RANGE, families);
  for (const family of families) sink.write({ family, key: makeRecordId(1) }, "a page");
  expect(() => sink.finish()).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  sink.abandon();
  const files = readdirSync(folder.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.toSorted()).toEqual([join(folder.path, first), join(folder.path, blocked, "in the way")].toSorted());
});

test("a badge of an earlier release is not reused if it is stored under the digest of another badge", async () => {
  using folder = scratchFolder();
  const path = packPath(BADGES, RANGE);
  const [before = "", fresh = ""] = inOrder([makeRecordId(1), makeRecordId(2)]);
  const forged = new ForgedPack();
  const frame = forged.frame("<svg>100</svg>");
  forged.leaf([
    { ...makePageEntry(before, frame, "<svg>100</svg>"), sha256: hash("sha256", "<svg>4</svg>", "buffer") },
  ]);
  const lines = { [path]: forged.write(join(folder.path, "earlier"), path) };
  const earlier = { folder: join(folder.path, "earlier"), lines, gone: {} };
  const sink = await PackSink.open(join(folder.path, "now"), RANGE, [BADGES], earlier);
  expect(() => {
    sink.write({ family: BADGES, key: fresh }, "<svg>4</svg>");
    sink.finish();
  }).toThrow(PreviousDamaged);
  sink.abandon();
  expect(readdirSync(join(folder.path, "now"), { recursive: true }).filter((name) => String(name) === path)).toEqual(
    [],
  );
});
