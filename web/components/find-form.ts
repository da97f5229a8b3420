/** The box that finds: it leads to a dataset, a researcher, or a search for either. */

import { type Html, html } from "../html.ts";

export function findForm(hint: string): Html {
  return html`<form class="find" action="/find" role="search"><label for="q">Find a dataset or a researcher</label><p class="hint" id="q-hint">${hint}</p><div class="row"><div class="grow"><input id="q" type="search" name="q" aria-describedby="q-hint" maxlength="2048" autocomplete="off" data-suggest="/find/suggestions"></div><button>Find</button></div></form>`;
}
