/** Where everything lies below the store folder: the one place that knows its paths (decisions.md, "The release"). */

import { join } from "node:path";

export interface Store {
  readonly root: string;
  /** raw/<source>: what the source said, append-only. */
  raw(source: string): string;
  /** work/<run>: stage outputs of a build under way; removable. */
  work(run: string): string;
  readonly releases: string;
  /** releases/sha256-<hex> of a releaseDigest (`sha256:<hex>`). */
  release(digest: string): string;
  /** The link to the activated release. */
  readonly current: string;
  /** The link to the release the server answers from. */
  readonly serving: string;
}

export function openStore(root: string): Store {
  const releases = join(root, "releases");
  return {
    root,
    raw: (source) => join(root, "raw", source),
    work: (run) => join(root, "work", run),
    releases,
    release: (digest) => join(releases, digest.replace(":", "-")),
    current: join(root, "current"),
    serving: join(root, "serving"),
  };
}
