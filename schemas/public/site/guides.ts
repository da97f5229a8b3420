/** Lists the documents of this repository that the site shows as its help, in their order there. */

import { z } from "zod";

export interface Guide {
  /** The path of the document below `docs/`. */
  readonly file: string;
  readonly title: string;
  /** The question that the document answers. */
  readonly about: string;
}

/** The guides by the name in their URL, which is also the name of the file. */
export const GUIDES = {
  "why-did-my-score-change": {
    file: "why-did-my-score-change.md",
    title: "Why did my score change?",
    about: "The causes of a change, and how to find yours.",
  },
  "when-not-to-trust-a-score": {
    file: "when-not-to-trust-a-score.md",
    title: "When not to trust a score",
    about: "The cases in which a score misleads, and what to use instead.",
  },
  method: {
    file: "method.md",
    title: "The method",
    about: "The exact rules, from the metadata to the S-Index, for those who review or recompute scores.",
  },
  "which-file": {
    file: "which-file.md",
    title: "Which file of a release do I need?",
    about: "The tables of a release by question.",
  },
  "data-guide": {
    file: "data-guide.md",
    title: "Data guide",
    about: "How to download, join and verify a release.",
  },
  duckdb: { file: "cookbook/duckdb.md", title: "DuckDB", about: "Questions to a release as SQL." },
  python: { file: "cookbook/python.md", title: "pandas and polars", about: "The same questions in Python." },
  r: { file: "cookbook/r.md", title: "R", about: "The same questions in R." },
  "api-guide": {
    file: "api-guide.md",
    title: "API guide",
    about: "Requests with their responses, from a first lookup to keys and jobs.",
  },
} as const satisfies Readonly<Record<string, Guide>>;

export type GuideName = keyof typeof GUIDES;

export const guideName = z.enum(Object.keys(GUIDES) as [GuideName, ...GuideName[]]);
