/**
 * Runs a user's task in a browser: with a server of a store, simulated services, a mailbox and one page. If the variable FILM
 * is set, each step is saved as a picture in that folder.
 */

import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { openStore } from "../../pipeline/store/store.ts";
import { type Services, services } from "../evaluate/services.ts";
import { serve } from "../server/test-store.ts";
import { type Mailbox, openMailbox } from "../sign-in/mailbox.ts";
import { openBrowser, openContext, violationsOn } from "../site/chromium.ts";

export const { FILM } = process.env;

export interface Errand extends AsyncDisposable {
  readonly upstream: Services;
  readonly mailbox: Mailbox;
  readonly page: Page;
  /** Returns the URL of a path. */
  at(path: string): string;
  /** Ends a step, and expects that the accessibility checker finds nothing on the page. */
  scene(name: string): Promise<void>;
}

/** Starts the services and the server, and opens the browser. `answers` are the responses of the services, by path. */
export async function openErrand(store: string, answers: Parameters<typeof services>[0]): Promise<Errand> {
  await using opening = new AsyncDisposableStack();
  const upstream = opening.use(await services(answers));
  const mailbox = opening.adopt(await openMailbox(), (each) => each.close());
  const settings = {
    evaluations: { upstreams: upstream.upstreams },
    signIn: { smtpUrl: mailbox.url },
    mailMilliseconds: 20,
    pollMilliseconds: 20,
  };
  const server = opening.adopt(await serve(openStore(store), settings), (each) => each.close());
  const browser = opening.adopt(await openBrowser(), (each) => each.close());
  const context = await openContext(browser, { viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  const page = await context.newPage();
  const opened = opening.move();
  let scenes = 0;
  return {
    upstream,
    mailbox,
    page,
    at: (path) => `http://localhost:${server.port}${path}`,
    scene: async (name) => {
      expect([name, await violationsOn(page)]).toEqual([name, []]);
      scenes += 1;
      if (FILM !== undefined) await page.screenshot({ path: join(FILM, `${scenes}-${name}.png`), fullPage: true });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
