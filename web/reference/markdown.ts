/** Renders Markdown, but only headings, paragraphs, lists, tables, code, strong text and links. */

import { integer } from "../components/figures.ts";
import { snippet } from "../components/snippets.ts";
import { capitalised } from "../components/state-words.ts";
import { table } from "../components/table.ts";
import { Html, type HtmlPart, html } from "../html.ts";
import { t } from "../languages/translate.ts";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^()]+)\)/g;

/** A function that returns the URL for the target of a link; null to show the text without a link. */
export type LinkResolver = (target: string) => string | null;

const asWritten: LinkResolver = (target) => target;

/** Returns the paragraphs of a text, in which empty lines separate paragraphs. */
export function paragraphs(markdown: string): Html[] {
  return markdown.split("\n\n").map((text) => html`<p>${inline(text)}</p>`);
}

/** Returns a text of one line, with its code, strong text and links as elements. */
export function inline(text: string, resolve: LinkResolver = asWritten): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(MARKS)) {
    const [matched, code, strong, label = "", target = ""] = match;
    parts.push(html`${text.slice(at, match.index)}`);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`);
    else parts.push(linked(label, resolve(target)));
    at = match.index + matched.length;
  }
  return [...parts, html`${text.slice(at)}`];
}

function linked(label: string, href: string | null): Html {
  const words = inline(label);
  return href === null ? html`${words}` : html`<a href="${href}">${words}</a>`;
}

interface Heading {
  readonly anchor: string;
  readonly text: string;
}

export interface MarkdownDocument {
  readonly title: string;
  /** The headings of the second level. */
  readonly headings: readonly Heading[];
  /** The questions with which paragraphs begin in bold. */
  readonly questions: readonly Heading[];
  readonly body: readonly Html[];
}

/**
 * Reads a document in which empty lines separate blocks. It contains no HTML except comments, which are left out. If
 * the document is a translation, the ids of its headings are those of the `original`, so that the same links lead to
 * both.
 */
export function readDocument(markdown: string, resolve: LinkResolver, original = markdown): MarkdownDocument {
  const [first = "", ...blocks] = splitBlocks(markdown);
  const ids = splitBlocks(original).filter(isHeading).map(makeAnchor);
  const anchors = new Map(blocks.filter(isHeading).map((block, i) => [block, ids[i] ?? makeAnchor(block)]));
  const questions = blocks.flatMap((block) => QUESTION.exec(block)?.[1] ?? []);
  questions.forEach((question, i) => {
    anchors.set(question, `question-${i + 1}`);
  });
  const anchorOf = (block: string) => anchors.get(block) ?? "";
  return {
    title: first.replace("# ", ""),
    headings: blocks
      .filter((block) => block.startsWith("## "))
      .map((block) => ({ anchor: anchorOf(block), text: block.slice(3) })),
    questions: questions.map((text) => ({ anchor: anchorOf(text), text })),
    body: blocks.map((block) => renderBlock(block, resolve, anchorOf)),
  };
}

const QUESTION = /^\*\*([^*]+[?？])\*\*/;

function isHeading(block: string): boolean {
  return /^#{2,4} /.test(block);
}

const FENCE = "```";

/** Returns the blocks of a document. Code blocks can contain empty lines. */
function splitBlocks(markdown: string): string[] {
  const blocks: string[][] = [[]];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    const isFence = line.startsWith(FENCE);
    const isBetween = !isCode && /^(?:\s*|<!--.*-->)$/.test(line);
    if (isBetween || (isFence && !isCode)) blocks.push([]);
    if (!isBetween) blocks.at(-1)?.push(line);
    if (isFence && isCode) blocks.push([]);
    if (isFence) isCode = !isCode;
  }
  return blocks.map((lines) => lines.join("\n")).filter((block) => block !== "");
}

function renderBlock(block: string, resolve: LinkResolver, anchorOf: (heading: string) => string): Html {
  const lines = block.split("\n");
  const [first = ""] = lines;
  const level = first.indexOf(" ");
  if (first.startsWith(FENCE)) return renderCode(lines.slice(1, -1).join("\n"));
  if (isHeading(first))
    return new Html(
      `<h${level} id="${anchorOf(block)}">${html`${inline(first.slice(level + 1), resolve)}`.text}</h${level}>\n`,
    );
  if (first.startsWith("|")) return renderTable(lines, resolve);
  if (first.startsWith("- ")) return html`<ul>${renderItems(block, /\n- /, resolve)}</ul>\n`;
  if (first.startsWith("1. ")) return html`<ol>${renderItems(block, /\n\d+\. /, resolve)}</ol>\n`;
  const question = QUESTION.exec(block)?.[1];
  return html`<p${question === undefined ? null : html` id="${anchorOf(question)}"`}>${paragraphLines(lines).map((line, i) => [i === 0 ? null : html`<br>`, inline(line, resolve)])}</p>\n`;
}

function renderCode(text: string): Html {
  return html`${snippet(t("Code"), text)}\n`;
}

/** Joins the lines of a paragraph. A line break after a backslash stays, as in CommonMark. */
function paragraphLines(lines: readonly string[]): string[] {
  return lines
    .join("\n")
    .split("\\\n")
    .map((line) => line.replaceAll("\n", " "));
}

function renderItems(block: string, marker: RegExp, resolve: LinkResolver): Html[] {
  const [, ...items] = `\n${block}`.split(marker);
  return items.map((item) => html`<li>${inline(item.replace(/\n */g, " "), resolve)}</li>\n`);
}

/** Longest table that a document shows unfolded, in rows. */
const MAX_ROWS = 15;

function renderTable([head = "", , ...rows]: readonly string[], resolve: LinkResolver): Html {
  const cells = (row: string) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
  const columns = cells(head).map((name) => ({ name: capitalised(name), isLong: true }));
  const shown = table(
    columns.map(({ name }) => name).join(", "),
    columns,
    rows.map((row) => cells(row).map((cell): HtmlPart => inline(cell, resolve))),
  );
  return rows.length <= MAX_ROWS
    ? shown
    : html`<details><summary>${t`Table with ${integer(rows.length)} rows: ${columns.map(({ name }) => name).join(", ")}`}</summary>${shown}</details>\n`;
}

/** Returns the id of a heading as GitHub makes it, so that the links between documents work in both places. */
function makeAnchor(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Returns a path in which lines may break after slashes. */
export function breakablePath(path: string): Html[] {
  return path.split(/(?<=\/)(?=.)/).map((part, i) => (i === 0 ? html`${part}` : html`<wbr>${part}`));
}

/** Returns JSON with highlighted names, strings, numbers and literals. */
export function highlightedJson(text: string): Html[] {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [matched, string, colon, number] = match;
    const kind = string === undefined ? (number === undefined ? "w" : "n") : colon === undefined ? "s" : "k";
    const token = string ?? matched;
    parts.push(html`${text.slice(at, match.index)}<span class="${kind}">${token}</span>`);
    at = match.index + token.length;
  }
  return [...parts, html`${text.slice(at)}`];
}
