/**
 * Sets up an errand, which is a user's whole task in a browser: a server, simulated sources, a mailbox and one page. If the
 * variable FILM names a folder, each step is saved there as a picture.
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
  /** Returns the URL of a path on the server. */
  at(path: string): string;
  /** Ends a step of this name: expects that the accessibility checker finds nothing, and saves the picture if FILM is set. */
  scene(name: string): Promise<void>;
}

/**
 * Starts the sources and the server, and opens the browser. `answers` are the responses of the sources by path, such as
 * `/api/records/1`.
 */
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
