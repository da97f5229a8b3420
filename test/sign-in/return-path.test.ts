/** Where one may be sent after signing in: paths of this site, and nothing that could be taken for another's. */

import { describe, expect, test } from "vitest";
import { returnPath } from "../../schemas/public/account/sign-in.ts";
import { REFUSED_PATHS, TAKEN_PATHS } from "./return-paths.ts";

describe("a path to return to", () => {
  test.each(TAKEN_PATHS)("$name is taken as it is: $path", ({ path }) => {
    expect(returnPath.parse(path)).toBe(path);
    // As a browser reads it.
    expect(new URL(path, "https://share.example/auth/magic").origin).toBe("https://share.example");
  });

  test.each(REFUSED_PATHS)("$name is refused: $path", ({ path }) => {
    expect(returnPath.safeParse(path).success).toBe(false);
  });
});
