/** The sign-in options of share-release serve: an invalid value is reported in one line, without repeating it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { signInOptions } from "../../cli/commands/serve.ts";
import { Provider } from "../../server/accounts/orcid-sign-in.ts";
import { Site } from "../../server/http/own-site.ts";
import { NOW } from "../server/test-store.ts";
import { runCommand } from "../support/command-line.ts";

const store = mkdtempSync(join(tmpdir(), "share-serve-options-"));
afterAll(() => rmSync(store, { recursive: true, force: true }));

describe("an invalid option of serve", () => {
  test.each([
    {
      name: "a site that is not a URL",
      site: "share.example",
      says: "--site: give the public URL of the site",
    },
    {
      name: "a mail server that is not a URL",
      site: "https://share.example",
      says: "SMTP_URL is not an SMTP URL",
    },
  ])("serve reports $name in one line", async ({ site, says }) => {
    const parameters = ["serve", "--port", "0", "--store", store, "--site", site];
    const ended = await runCommand(parameters, { environment: { SMTP_URL: "http://u:hush@mail" } });
    expect(ended).toMatchObject({ exitCode: 2, stdout: "" });
    const lines = ended.stderr.split("\n").filter((line) => line.startsWith("share-release"));
    expect(lines).toEqual([expect.stringContaining(says)]);
    expect(ended.stderr).not.toMatch(/hush|\n +at /);
  });

  test.each([
    { ORCID_CLIENT_SECRET: "hush" },
    { ORCID_CLIENT_ID: "a" },
    { ORCID_CLIENT_ID: "a", ORCID_CLIENT_SECRET: "" },
  ])("serve rejects ORCID options of which only one is set: %o", (environment) => {
    expect(() => signInOptions(undefined, environment)).toThrow(
      /set both ORCID_CLIENT_ID and ORCID_CLIENT_SECRET, or neither/,
    );
  });

  test.each(["http://orcid.example", "orcid.org", "", "ftp://orcid.org"])(
    "serve rejects the ORCID issuer %j",
    (issuer) => {
      const provider = () => new Provider({ issuer, clientId: "a", clientSecret: "hush" }, () => NOW);
      expect(provider).toThrow(/ORCID_ISSUER is not an https URL/);
      expect(provider).not.toThrow(/hush/);
    },
  );
});

test("serve reads its sign-in options from the environment, and ignores empty variables", () => {
  const environment = {
    SMTP_URL: "smtp://m",
    SHARE_EMAIL_FROM: "a@b",
    ORCID_CLIENT_ID: "i",
    ORCID_CLIENT_SECRET: "s",
    ORCID_ISSUER: "",
  };
  expect(signInOptions("https://share.example", environment)).toEqual({
    site: new URL("https://share.example"),
    signIn: { smtpUrl: "smtp://m", mailFrom: "a@b", orcid: { clientId: "i", clientSecret: "s" } },
  });
  expect(signInOptions("", { SMTP_URL: "", ORCID_CLIENT_ID: "" })).toEqual({ signIn: {} });
});

describe("the URL of a site", () => {
  const site = (address: string) => new Site(new URL(address), () => 0);
  test.each([
    { address: "https://share.example", origin: "https://share.example", secure: true },
    { address: "https://SHARE.example:443/", origin: "https://share.example", secure: true },
    { address: "https://share.example:8443", origin: "https://share.example:8443", secure: true },
    { address: "http://localhost:8080", origin: "http://localhost:8080", secure: false },
    { address: "http://127.0.0.1:8080", origin: "http://127.0.0.1:8080", secure: false },
    { address: "http://[::1]:8080", origin: "http://[::1]:8080", secure: false },
  ])("the site $address has the origin that browsers send", ({ address, origin, secure }) => {
    expect(site(address)).toMatchObject({ origin, isSecure: secure });
    expect(site(address).isOwn(origin)).toBe(true);
    expect(site(address).isOwn("https://evil.example")).toBe(false);
    expect(site(address).buildUrl("/auth/magic")).toBe(`${origin}/auth/magic`);
  });

  test.each([
    "http://share.example",
    "http://localhost.evil.example",
    "http://10.0.0.1",
    "ftp://share.example",
    "https://user@share.example",
    "https://share.example/below",
    "https://share.example/?a",
    "https://share.example/#a",
  ])("the URL of a site cannot be %s", (address) => {
    expect(() => site(address)).toThrow(expect.objectContaining({ code: "ERR_CONFIGURATION" }));
  });
});
