/** Checking a dataset, or a draft of one: two forms, which never lose what was typed. */

import type { Problem } from "../../schemas/public/problem.ts";
import type { DraftFields } from "../../schemas/public/site/forms.ts";
import { area, choice, field } from "../components/fields.ts";
import { refusal } from "../components/refusal.ts";
import type { View } from "../components/view.ts";
import { type Html, html } from "../html.ts";

export interface CheckPage {
  readonly identifier: string;
  readonly source: string;
  /** The fields of a draft as they were typed. */
  readonly typed: Partial<DraftFields> & { readonly pasted?: string };
  readonly sources: readonly { readonly source: string; readonly name: string }[];
  /** The problem with the form that was sent, and which of the two it is. */
  readonly refused: { readonly of: "dataset" | "draft"; readonly problem: Problem } | null;
}

export function checkView(page: CheckPage): View {
  const { identifier, refused } = page;
  return {
    title: refused === null ? "Check a dataset" : "Error: Check a dataset",
    description: "Score a dataset by its DOI, or a draft of its metadata before it is published.",
    unlisted: refused !== null || identifier !== "",
    body: html`<h1>Check a dataset</h1>
<h2 id="dataset">One that is published</h2>
${refused?.of === "dataset" ? refusal(refused.problem) : null}
<form method="post" action="/check"><div class="row"><div class="grow">${field({
      name: "identifier",
      label: "DOI, accession number or address",
      hint: "Such as 10.5281/zenodo.3678326, NCT04280705, or the address of the dataset’s page",
      value: identifier,
      required: true,
    })}</div><button>Check</button></div></form>
<p class="small muted">What is in the current release is shown at once. Anything else is fetched from its repository and measured now, which takes some seconds.</p>
<h2 id="draft">A draft, before you publish it</h2>
<p>Nothing of it is kept, and nobody else is asked.</p>
${refused?.of === "draft" ? [refusal(refused.problem), html`<p>A draft is the metadata of one dataset, as JSON or XML: what the repository’s own form exports, or its interface for programs takes. RO-Crate, Croissant and schema.org JSON-LD are read as drafts for DataCite. If you have no such file, <a href="#form">fill in the form</a> instead. What you sent is still here.</p>`] : null}
${draftForm(page)}`,
  };
}

/** The form of a draft, with what was typed before. */
export function draftForm({ source, sources, typed }: Pick<CheckPage, "source" | "sources" | "typed">): Html {
  return html`<form method="post" action="/check/draft" enctype="multipart/form-data">
${choice(
  { name: "source", label: "Where you will publish it", value: source === "" ? "zenodo" : source },
  sources.map((each) => [each.source, each.name]),
)}
<h3>With a file of metadata</h3>
<p><label for="f-file">File</label><span class="hint" id="h-file">JSON or XML, as the repository’s own form or programs give it, or RO-Crate, Croissant or schema.org JSON-LD for DataCite; at most 5 MB. No data files.</span><input id="f-file" name="file" type="file" accept=".json,.xml,application/json,application/xml,text/xml" aria-describedby="h-file"></p>
<p>${area({ name: "pasted", label: "Or paste it here", value: typed.pasted ?? "" })}</p>
<p><button>Check the draft</button></p>
<details id="form"${hasFields(typed) ? html` open` : null}><summary><strong>Without a file: fill in a form</strong></summary>
<p class="muted">As Zenodo asks. What you leave empty counts as left empty.</p>
<p>${field({ name: "title", label: "Title", value: typed.title ?? "" })}</p>
<p>${area({ name: "description", label: "Description", value: typed.description ?? "" })}</p>
<p>${area({ name: "methods", label: "Methods", hint: "How the data were made", value: typed.methods ?? "" })}</p>
<p>${field({ name: "keywords", label: "Keywords", hint: "Separated by commas", value: typed.keywords ?? "" })}</p>
<p>${area({ name: "creators", label: "Creators", hint: "One a line: Family name, given name; ORCID iD", value: typed.creators ?? "" })}</p>
<p>${area({ name: "contributors", label: "Contributors", hint: "One a line: name; role, such as DataCurator", value: typed.contributors ?? "" })}</p>
<p>${field({ name: "licence", label: "Licence", hint: "Such as cc-by-4.0 or cc0-1.0", value: typed.licence ?? "" })}</p>
<p>${choice({ name: "access", label: "Access", value: typed.access ?? "" }, [
    ["", "Not decided"],
    ["open", "Open"],
    ["embargoed", "Embargoed"],
    ["restricted", "Restricted"],
    ["closed", "Closed"],
  ])}</p>
<p>${area({ name: "references", label: "References", hint: "Works the data refer to, one a line, best with a DOI", value: typed.references ?? "" })}</p>
<p>${area({ name: "related", label: "Related works", hint: "DOIs or addresses of papers, software or other data, one a line", value: typed.related ?? "" })}</p>
<p>${area({ name: "grants", label: "Funding", hint: "Numbers of grants, one a line: funder; number", value: typed.grants ?? "" })}</p>
<p>${area({ name: "files", label: "Names of the files", hint: "One a line, such as README.md, heights.csv", value: typed.files ?? "" })}</p>
<p><button>Check what I filled in</button></p></details></form>`;
}

function hasFields({ pasted: _pasted, access: _access, ...fields }: CheckPage["typed"]): boolean {
  return Object.values(fields).some((value) => value !== "");
}
