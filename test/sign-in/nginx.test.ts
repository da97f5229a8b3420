/** Signing in through the real nginx: cookies, origins and answers about one person pass, and none of them is kept for another. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nginxConfiguration } from "../../api-static/nginx/index.ts";
import { freePort } from "../support/free-port.ts";
import { HAS_NGINX, startNginx } from "../support/nginx.ts";
import type { Browser } from "./browser.ts";
import { tokenIn } from "./mailbox.ts";
import { SignInWorld } from "./world.ts";

const SITE = new URL("https://share.example");

describe.skipIf(!HAS_NGINX)("behind nginx", () => {
  test("everybody is who they are, and other origins are refused", async () => {
    await using world = await SignInWorld.make({ server: { site: SITE, trustProxy: ["127.0.0.1"] } });
    const folder = mkdtempSync(join(tmpdir(), "share-sign-in-nginx-"));
    const port = await freePort();
    const configuration = nginxConfiguration({
      store: world.store.root,
      listen: [`127.0.0.1:${port}`],
      upstream: [`127.0.0.1:${world.port}`],
      serverNames: [],
      cache: join(folder, "cache"),
      realIpFrom: [],
      rate: 100_000,
      burst: 100_000,
    });
    const nginx = await startNginx(configuration, port);
    try {
      const people = ["one@example.org", "two@example.org"];
      const browsers: Browser[] = [];
      for (const email of people) {
        const browser = world.browser({ port });
        expect((await browser.post("/auth/magic/request", { email })).status).toBe(201);
        const token = tokenIn(await world.mailbox.next());
        const { status, text } = await browser.post("/auth/magic/consume", { token });
        expect([status, JSON.parse(text).user.email]).toEqual([201, email]);
        expect([...browser.cookies.keys()]).toEqual(["__Host-share_session"]);
        browsers.push(browser);
      }
      const listed = async () =>
        Promise.all(browsers.map(async (browser) => JSON.parse((await browser.get("/account/sessions")).text).data));
      const [first, second] = await listed();
      expect([first.length, second.length, first[0].id === second[0].id]).toEqual([1, 1, false]);
      expect(await listed()).toEqual([first, second]);
      expect((await world.browser({ port }).get("/account/sessions")).status).toBe(401);
      const page = await world.browser({ port }).open("/auth/magic");
      expect([page.status, page.headers["content-security-policy"]]).toEqual([
        200,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
      expect(page.headers["access-control-allow-origin"]).toBeUndefined();
      const forged = world.browser({ port, origin: `http://127.0.0.1:${port}` });
      expect((await forged.post("/auth/logout")).status).toBe(403);
      expect((await browsers[0]?.delete(`/account/sessions/${first[0].id}`))?.status).toBe(200);
      expect((await browsers[1]?.get("/account/sessions"))?.status).toBe(200);
    } finally {
      await nginx.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
