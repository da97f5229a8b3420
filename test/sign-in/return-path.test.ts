/** Paths to return to after sign-in: paths of this site, and none that a client could read as another site's. */

import { describe, expect, test } from "vitest";
import { returnPath } from "../../schemas/public/account/sign-in.ts";
import { REJECTED_PATHS, TAKEN_PATHS } from "./return-paths.ts";

describe("a path to return to", () => {
  test.each(TAKEN_PATHS)("$name is accepted: $path", ({ path }) => {
    expect(returnPath.parse(path)).toBe(path);
    // Parses the path as a browser does.
    expect(new URL(path, "https://share.example/auth/magic").origin).toBe("https://share.example");
  });

  test.each(REJECTED_PATHS)("$name is rejected: $path", ({ path }) => {
    expect(returnPath.safeParse(path).success).toBe(false);
  });
});
