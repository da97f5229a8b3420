/** JSON for reading: what fits stays on one line, and its kinds of values are told apart. */

import { type Html, html } from "./html.ts";

const WIDTH = 84;

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Two spaces a level; an object or array that fits a line has one. */
export function readableJson(value: unknown, indent = ""): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= WIDTH) return line;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const members = Array.isArray(value)
    ? value.map((item: unknown) => deeper + readableJson(item, deeper))
    : Object.entries(value).map(([key, item]) => `${deeper}${JSON.stringify(key)}: ${readableJson(item, deeper)}`);
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** The text with its names, strings, numbers and words marked. */
export function markedJson(text: string): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, number] = match;
    const kind = string === undefined ? (number === undefined ? "w" : "n") : colon === undefined ? "s" : "k";
    const token = string ?? whole;
    parts.push(html`${text.slice(at, match.index)}<span class="${kind}">${token}</span>`);
    at = match.index + token.length;
  }
  return [...parts, html`${text.slice(at)}`];
}
