/** The page that a sign-in link opens: its security policy, and the effect of its script when the user presses the button. */

import { hash } from "node:crypto";
import { createContext, runInContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOGO } from "../../web/components/face.ts";
import { ask } from "../server/ask.ts";
import type { Browser } from "./browser.ts";
import { SignInWorld } from "./world.ts";

let world: SignInWorld;
beforeAll(async () => {
  world = await SignInWorld.make();
});
afterAll(() => world[Symbol.asyncDispose]());

const page = () => world.browser().open("/auth/magic");
const findParts = (text: string, tag: string) =>
  [...text.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, "g"))].map(([, part = ""]) => part);

describe("the page that a sign-in link opens", () => {
  test("the security policy of the sign-in page allows only its own script, its own style, and requests to this site", async () => {
    const { status, headers, text } = await page();
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-store",
    ]);
    const policy = headers["content-security-policy"];
    const directives = new Map(
      String(policy)
        .split("; ")
        .map((line): [string, string] => {
          const [name = "", ...values] = line.split(" ");
          return [name, values.join(" ")];
        }),
    );
    const digests = (tag: string) => findParts(text, tag).map((part) => `'sha256-${hash("sha256", part, "base64")}'`);
    expect(Object.fromEntries(directives)).toEqual({
      "default-src": "'none'",
      "script-src": digests("script").join(" "),
      "style-src": digests("style").join(" "),
      "connect-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
    });
    // The policy would block inline styles and event handlers, so the page has none.
    expect(text).not.toMatch(/ style=| on[a-z]+=|https?:\/\//);
  });

  test("the sign-in page has a button, announces its messages to screen readers, and offers another link", async () => {
    const { text } = await page();
    expect(text).toMatch(/<html lang="en-GB">/);
    expect(text).toMatch(/<button type="button" id="sign-in" hidden>Sign in<\/button>/);
    expect(text).toMatch(/<p id="status" role="status"><\/p>\s*<p id="alert" role="alert"><\/p>/);
    expect(text).toMatch(/<noscript>/);
    // The page has the logo, and a way to continue if the sign-in link was already used.
    expect(text).toContain(LOGO.text);
    expect(text).toContain('<a href="/sign-in">Request another link</a>');
  });

  test("a sign-in link stays usable if an email scanner opens it", async () => {
    const token = await world.linkFor("scanned@example.org");
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      expect((await ask(world.port, `/auth/magic?utm_source=${token}`, { method })).status).toBeLessThan(300);
      await ask(world.port, "/auth/magic/consume", { method });
    }
    expect((await world.browser().post("/auth/magic/consume", { token })).status).toBe(201);
  });
});

/** A simulated HTML element with the properties and methods that the page's script uses. */
class Element {
  hidden = true;
  disabled = false;
  textContent = "";
  focused = false;
  press: () => Promise<void> = async () => undefined;
  focus() {
    this.focused = true;
  }
  addEventListener(_event: string, listener: () => Promise<void>) {
    this.press = listener;
  }
}

/** Runs the page's own script in a simulated window with this URL fragment. Requests of the script go to the server. */
async function opened(hash: string, browser: Browser) {
  const elements = { "sign-in": new Element(), status: new Element(), alert: new Element() };
  const went: string[] = [];
  const shown: string[] = [];
  const window = {
    URLSearchParams,
    location: { hash, pathname: "/auth/magic", replace: (path: string) => went.push(path) },
    history: { replaceState: (_state: unknown, _title: string, path: string) => shown.push(path) },
    document: {
      getElementById: (id: keyof typeof elements) => elements[id],
      querySelector: () => elements["sign-in"],
    },
    fetch: async (path: string, { body, headers }: { body: string; headers: Record<string, string> }) => {
      const { status, text } = await browser.post(path, body, headers);
      return { status, json: async () => JSON.parse(text) };
    },
  };
  const [script = ""] = findParts((await page()).text, "script");
  runInContext(script, createContext(window));
  return { button: elements["sign-in"], status: elements.status, alert: elements.alert, went, shown };
}

describe("the script of the page that a sign-in link opens", () => {
  test("the script removes the token from the URL at once, and sends it only when the user presses the button", async () => {
    const token = await world.linkFor("pressed@example.org", "/authors?page=2");
    const browser = world.browser();
    const { button, status, went, shown } = await opened(`#token=${token}`, browser);
    expect([shown, button.hidden, button.focused, browser.cookies.size]).toEqual([["/auth/magic"], false, true, 0]);
    await button.press();
    expect([went, browser.cookies.has("share_session"), status.textContent]).toEqual([
      ["/authors?page=2"],
      true,
      "You are signed in as pressed@example.org.",
    ]);
  });

  test("the script shows an error for a used link, and hides the button", async () => {
    const { user } = await world.signInByMail("again@example.org");
    expect(user.email).toBe("again@example.org");
    const token = await world.linkFor("again@example.org");
    await world.browser().post("/auth/magic/consume", { token });
    const { button, alert, went } = await opened(`#token=${token}`, world.browser());
    await button.press();
    expect([button.hidden, went]).toEqual([true, []]);
    expect(alert.textContent).toBe("This sign-in link is invalid, expired or already used. Request a new one.");
  });

  test("the script shows an error if the URL has no token", async () => {
    for (const hash of ["", "#", "#token=", "#other=1"]) {
      const { button, alert } = await opened(hash, world.browser());
      expect([button.hidden, alert.textContent]).toEqual([true, expect.stringContaining("This link is incomplete")]);
    }
  });

  test("the script lets the user try again if the server cannot be reached", async () => {
    const { button, status } = await opened(`#token=${"a".repeat(43)}`, world.browser({ port: 1 }));
    await button.press();
    expect([button.hidden, button.disabled, status.textContent]).toEqual([
      false,
      false,
      "We cannot reach the service at the moment. Try again.",
    ]);
  });
});
