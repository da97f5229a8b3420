/** Checks of the path to which a sign-in returns. It must be on this site, however a browser or proxy reads it. */

import { describe, expect, test } from "vitest";
import { returnPath } from "../../schemas/public/account/sign-in.ts";
import { REJECTED_PATHS, TAKEN_PATHS } from "./return-paths.ts";

describe("a path to return to", () => {
  test.each(TAKEN_PATHS)("sign-in may return to $name: $path", ({ path }) => {
    expect(returnPath.parse(path)).toBe(path);
    // Parses the path as a browser does.
    expect(new URL(path, "https://share.example/auth/magic").origin).toBe("https://share.example");
  });

  test.each(REJECTED_PATHS)("sign-in may not return to $name: $path", ({ path }) => {
    expect(returnPath.safeParse(path).success).toBe(false);
  });
});
