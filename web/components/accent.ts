/** The operator's colour for links and buttons: one shade for light mode, and one for dark mode, in which text can be read. */

import { STYLE } from "./style.ts";

/** The least contrast between text and background that WCAG 2.2 (1.4.3) requires. */
const MIN_CONTRAST = 4.5;

/** The background colours in light mode and in dark mode. The style sheet has those of light mode first. */
const [, LIGHT = [], DARK = []] = STYLE.split(":root{").map((rules) => backgroundsIn(rules));

/** Returns the colours that can be behind text in the mode of these rules, as red, green and blue from 0 to 255. */
function backgroundsIn(rules: string): number[][] {
  const colours = rules.matchAll(/--(?:ground|soft|card|soft-good|soft-bad):(#[0-9a-f]{3,6})/g);
  return [...colours].map(([, colour = ""]) => parseChannels(colour));
}

export interface Accent {
  readonly light: string;
  readonly dark: string;
}

/**
 * Returns the shades of a colour such as `#0b5a6e`. If its contrast suffices in a mode, the shade is the colour itself.
 * Otherwise it is the nearest colour that is darker for light mode, or lighter for dark mode.
 */
export function makeAccent(colour: string): Accent {
  return { light: nearestShade(colour, 0, LIGHT), dark: nearestShade(colour, 255, DARK) };
}

/** Returns the CSS rules of the shades for the end of the style sheet. Printed documents stay black. */
export function accentRules({ light, dark }: Accent): string {
  const rule = (accent: string) => `:root{--accent:${accent};--on-accent:var(--ground)}`;
  return `@media screen{${rule(light)}}@media screen and (prefers-color-scheme:dark){${rule(dark)}}`;
}

/**
 * Returns the nearest shade with enough contrast on all backgrounds. Mixes the colour with black (`other` is 0) or
 * white (255), in steps of one percent.
 */
function nearestShade(colour: string, other: number, backgrounds: readonly (readonly number[])[]): string {
  const channels = parseChannels(colour);
  for (let percent = 0; percent < 100; percent += 1) {
    const mixed = channels.map((channel) => Math.round(channel + ((other - channel) * percent) / 100));
    if (backgrounds.every((background) => contrast(mixed, background) >= MIN_CONTRAST)) {
      return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
    }
  }
  return other === 0 ? "#000000" : "#ffffff";
}

function parseChannels(colour: string): number[] {
  const digits = colour.length === 4 ? colour.replace(/[0-9a-f]/gi, "$&$&") : colour;
  return [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
}

/** Returns the contrast ratio as WCAG 2.2 defines it. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
