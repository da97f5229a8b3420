/** Reads the settings for the look of the site, and checks the files of the logo and the operator's texts. */

import { open } from "node:fs/promises";
import type { ServerOptions } from "../../server/options.ts";
import { requireValue } from "./environment.ts";
import { UsageError } from "./exit-codes.ts";
import { SETTINGS } from "./settings.ts";

type FaceSetting = "SHARE_TITLE" | "SHARE_LOGO" | "SHARE_COLOUR" | "SHARE_IMPRINT" | "SHARE_PRIVACY" | "SHARE_LOCALE";

type SiteFace = NonNullable<ServerOptions["face"]>;
type Logo = NonNullable<SiteFace["logo"]>;

const MAX_LOGO_BYTES = 256 * 1024;
const MAX_TEXT_BYTES = 64 * 1024;

/**
 * Reads the settings for the look of the site: title, logo, colour, imprint and privacy notice.
 * @throws UsageError with the setting, what was expected, and what to do
 */
export async function readSiteFace(): Promise<SiteFace> {
  // Loaded here, so that other commands start faster.
  const { faceFrom } = await import("../../server/site/face.ts");
  const title = checkedValue("SHARE_TITLE");
  return faceFrom({
    ...(title === null ? {} : { title }),
    logo: await readLogo(checkedValue("SHARE_LOGO")),
    colour: checkedValue("SHARE_COLOUR")?.toLowerCase() ?? null,
    imprint: await readSettingText("SHARE_IMPRINT"),
    privacy: await readSettingText("SHARE_PRIVACY"),
    locale: checkedValue("SHARE_LOCALE"),
  });
}

function checkedValue(name: FaceSetting): string | null {
  const value = requireValue(name);
  const { type } = SETTINGS[name];
  if (value === null || type.safeParse(value).success) return value;
  throw new UsageError(`${name} is "${value}"; expected ${type.description}. Correct or unset it.`);
}

async function readSettingText(name: "SHARE_IMPRINT" | "SHARE_PRIVACY"): Promise<string | null> {
  const path = checkedValue(name);
  if (path === null) return null;
  const text = decodeUtf8(await readFileUpTo(name, path, MAX_TEXT_BYTES));
  if (text !== null && text.trim() !== "") return text;
  throw new UsageError(`${name}: ${path} is not text in UTF-8, or is empty; save it as Markdown in UTF-8`);
}

const PNG_START = Buffer.from("\x89PNG\r\n\x1A\n", "latin1");

/**
 * Matches parts of an SVG that do more than draw. Browsers do not run them in an image, but static hosts also serve the
 * file as a document.
 */
const ACTIVE = /<script|<foreignobject|<!entity|\son[a-z]+\s*=|javascript:/i;

async function readLogo(path: string | null): Promise<Logo | null> {
  if (path === null) return null;
  const bytes = await readFileUpTo("SHARE_LOGO", path, MAX_LOGO_BYTES);
  if (bytes.subarray(0, PNG_START.length).equals(PNG_START)) return { path: "/logo.png", bytes };
  const text = decodeUtf8(bytes) ?? "";
  if (!text.includes("<svg") || !text.includes('xmlns="http://www.w3.org/2000/svg"')) {
    throw new UsageError(
      `SHARE_LOGO: ${path} is neither a PNG nor an SVG with xmlns="http://www.w3.org/2000/svg"; export the logo as one of these`,
    );
  }
  if (!ACTIVE.test(text)) return { path: "/logo.svg", bytes };
  throw new UsageError(
    `SHARE_LOGO: ${path} contains scripts, event handlers, foreign objects or entities; export it as plain SVG, or as PNG`,
  );
}

/** Reads a file of at most `max` bytes. */
async function readFileUpTo(name: FaceSetting, path: string, max: number): Promise<Buffer> {
  const content = await readStart(path, max + 1).catch((cause: unknown) => {
    const reason = cause instanceof Error && "code" in cause ? cause.code : cause;
    throw new UsageError(`${name}: ${path} cannot be read (${reason}); correct its path or its permissions`);
  });
  if (content.length <= max) return content;
  throw new UsageError(`${name}: ${path} has more than ${max} bytes; give a smaller file`);
}

async function readStart(path: string, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(length), position: 0 });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
