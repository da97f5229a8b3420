/** Where one may be sent after signing in: paths of this site, and nothing that could be taken for another's. */

import { describe, expect, test } from "vitest";
import { LONGEST_RETURN_PATH, returnPath } from "../../schemas/account/return-path.ts";

const TAKEN: readonly { name: string; path: string }[] = [
  { name: "the beginning", path: "/" },
  { name: "a path", path: "/account" },
  { name: "a path with a query and a fragment", path: "/account?tab=saved&page=2#top" },
  { name: "a slug", path: "/authors/jane-doe-0000-0002-1825-0097" },
  { name: "every character a slug has", path: "/authors/a.b_c~d-e" },
  { name: "an encoded space", path: "/records?search=soil%20temperature" },
  { name: "an encoded percent sign", path: "/records?search=100%25" },
  { name: "letters of other scripts, encoded", path: "/records?search=%E6%B0%B4" },
  { name: "an address in the query", path: "/evaluate?identifier=https://doi.org/10.5072/x" },
  { name: "an @ within", path: "/@jane" },
  { name: "a colon within", path: "/records/a:b" },
  { name: "what only begins like signing in", path: "/authors" },
  { name: "as long as it may be", path: `/${"a".repeat(LONGEST_RETURN_PATH - 1)}` },
];

const REFUSED: readonly { name: string; path: unknown }[] = [
  { name: "another host", path: "//evil.example" },
  { name: "another host behind three slashes", path: "///evil.example" },
  { name: "another host behind a backslash", path: "/\\evil.example" },
  { name: "two backslashes", path: "\\\\evil.example" },
  { name: "an encoded slash", path: "/%2fevil.example" },
  { name: "an encoded slash in capitals", path: "/%2Fevil.example" },
  { name: "a slash that is encoded twice", path: "/%252fevil.example" },
  { name: "a slash that is encoded four times", path: "/%2525252fevil.example" },
  { name: "an encoded backslash", path: "/%5cevil.example" },
  { name: "an encoded slash and bytes that are no UTF-8", path: "/%252fevil%25ff" },
  { name: "a whole address", path: "https://evil.example/" },
  { name: "a whole address without slashes", path: "https:evil.example" },
  { name: "a script", path: "javascript:alert(1)" },
  { name: "a script in other letters", path: "JaVaScRiPt:alert(1)" },
  { name: "data", path: "data:text/html,hello" },
  { name: "a user", path: "//share.example@evil.example" },
  { name: "a tab between slashes", path: "/\t/evil.example" },
  { name: "a line break between slashes", path: "/\n/evil.example" },
  { name: "a carriage return", path: "/a\rb" },
  { name: "an encoded line break", path: "/a%0d%0aset-cookie:x=y" },
  { name: "a null", path: "/a\u0000b" },
  { name: "an encoded null", path: "/a%00b" },
  { name: "white space before", path: " /account" },
  { name: "white space before another host", path: " //evil.example" },
  { name: "a slash of another script", path: "/\uff0fevil.example" },
  { name: "a division slash", path: "/\u2215evil.example" },
  { name: "a slash of another script, encoded", path: "/%EF%BC%8Fevil.example" },
  { name: "a backslash of another script, encoded", path: "/%EF%BC%BCevil.example" },
  { name: "a step out", path: "/../evil" },
  { name: "a step out that leaves a host", path: "/account/..//evil.example" },
  { name: "an encoded step out", path: "/%2e%2e//evil.example" },
  { name: "a step to the same place", path: "/./account" },
  { name: "a relative path", path: "account" },
  { name: "a relative path that begins with a dot", path: "./account" },
  { name: "a query alone", path: "?a=b" },
  { name: "a fragment alone", path: "#a" },
  { name: "nothing", path: "" },
  { name: "a percent sign that begins nothing", path: "/a%zz" },
  { name: "bytes that are no UTF-8", path: "/a%ff" },
  { name: "markup", path: '/"><script>' },
  { name: "signing in, over and over", path: "/auth/orcid/start?returnTo=/" },
  { name: "signing in, encoded", path: "/%61uth/orcid/start" },
  { name: "a character too many", path: `/${"a".repeat(LONGEST_RETURN_PATH)}` },
  { name: "a number", path: 7 },
  { name: "a list", path: ["/account"] },
  { name: "null", path: null },
];

describe("a path to return to", () => {
  test.each(TAKEN)("$name is taken as it is: $path", ({ path }) => {
    expect(returnPath.parse(path)).toBe(path);
    // As a browser reads it.
    expect(new URL(path, "https://share.example/auth/magic").origin).toBe("https://share.example");
  });

  test.each(REFUSED)("$name is refused: $path", ({ path }) => {
    expect(returnPath.safeParse(path).success).toBe(false);
  });
});
