/**
 * Defines the HTML element <share-check>, which is placed beside a deposit form and shows how the metadata would score
 * while the user fills it in. The same file is also the web worker of the element. The metadata are not sent anywhere.
 */

import type { DraftScore } from "../../pipeline/evaluate/evaluation.ts";
import { SIGNALS_PER_BUCKET } from "../../schemas/public/signal.ts";
import { score } from "../index.ts";
import { DEPOSIT_FORMS, readFormState } from "./deposit-forms.ts";

interface CheckQuestion {
  readonly metadata: object | string;
  readonly source: string | null;
}

type Answer = { readonly draft: DraftScore } | { readonly problem: string };

async function answerTo({ metadata, source }: CheckQuestion): Promise<Answer> {
  try {
    return { draft: await score(metadata, { source }) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // Such a message continues "the metadata", for example "are not JSON".
    return {
      problem: error instanceof Error && "code" in error && error.code === "no-draft" ? `the metadata ${text}` : text,
    };
  }
}

/** The properties of the worker's global object that this file uses. */
interface WorkerScope {
  onmessage: ((event: { readonly data: CheckQuestion }) => void) | null;
  postMessage(answer: Answer): void;
}

/** For each state of a signal, the sign that is shown and its meaning in words. */
const SIGNS: Readonly<Record<string, readonly [string, string]>> = {
  passed: ["✓", "yes"],
  absent: ["✗", "no"],
  unsupported: ["–", "not possible here"],
};
const UNKNOWN_SIGN = ["?", "not known"] as const;

const STYLE = `
:host { display: block; font: inherit; line-height: 1.4; }
:host([hidden]) { display: none; }
section { border: 1px solid currentColor; border-radius: 6px; padding: 0.75em 1em; }
h2 { font-size: 1em; margin: 0; }
.total { font-size: 2em; font-weight: bold; }
meter { width: 100%; height: 0.8em; }
ol { margin: 0.5em 0; padding-left: 1.4em; }
li { margin: 0.3em 0; }
b { font-weight: bold; white-space: nowrap; }
ul { list-style: none; margin: 0.5em 0; padding: 0; columns: 2 12em; }
p { margin: 0.3em 0; }
`;

/** Milliseconds without a further change after which the metadata are scored. */
const PAUSE_MS = 60;

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** Defines the element. It must not be defined when this file runs as a worker, which cannot define elements. */
function defineElement(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);

  class ShareCheck extends HTMLElement {
    static readonly observedAttributes = ["for", "form", "source"];
    readonly #shadow = this.attachShadow({ mode: "open" });
    readonly #result = element("div");
    readonly #status = element("p", "Fill in the form to see how well the dataset would be shared.");
    #metadata: object | string | null = null;
    #listenedTo: HTMLFormElement | null = null;
    #worker: Worker | null = null;
    #timer = 0;
    #isBusy = false;
    #waiting: CheckQuestion | null = null;

    constructor() {
      super();
      this.#shadow.adoptedStyleSheets = [sheet];
      this.#status.setAttribute("role", "status");
      const section = element("section", element("h2", "SHARE score"), this.#status, this.#result);
      this.#shadow.append(section);
    }

    /** The state of the deposit form, or the metadata themselves. Set the property again after each change. */
    get metadata(): object | string | null {
      return this.#metadata;
    }

    set metadata(stated: object | string | null) {
      this.#metadata = stated;
      this.#schedule();
    }

    connectedCallback(): void {
      this.#listen();
      this.#schedule();
    }

    disconnectedCallback(): void {
      this.#listenedTo?.removeEventListener("input", this.#changed);
      this.#listenedTo = null;
      clearTimeout(this.#timer);
      this.#worker?.terminate();
      this.#worker = null;
      this.#isBusy = false;
    }

    attributeChangedCallback(): void {
      if (!this.isConnected) return;
      this.#listen();
      this.#schedule();
    }

    /** Listens to the form whose id is in the attribute `for`, if there is one. */
    #listen(): void {
      const id = this.getAttribute("for");
      const form = id === null ? null : document.getElementById(id);
      this.#listenedTo?.removeEventListener("input", this.#changed);
      this.#listenedTo = form instanceof HTMLFormElement ? form : null;
      this.#listenedTo?.addEventListener("input", this.#changed);
    }

    readonly #changed = () => this.#schedule();

    #schedule(): void {
      if (!this.isConnected) return;
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#ask(), PAUSE_MS);
    }

    #ask(): void {
      const state = this.#listenedTo === null ? this.#metadata : readFormState(this.#listenedTo);
      if (state === null) return;
      const form = DEPOSIT_FORMS[this.getAttribute("form") ?? ""];
      const metadata = form === undefined || typeof state === "string" ? state : form.buildMetadata({ ...state });
      this.#waiting = {
        metadata: metadata as object | string,
        source: form?.source ?? this.getAttribute("source"),
      };
      this.#next();
    }

    /** Scores the newest metadata as soon as the earlier ones are scored. */
    async #next(): Promise<void> {
      if (this.#isBusy || this.#waiting === null) return;
      const asked = this.#waiting;
      this.#waiting = null;
      this.#isBusy = true;
      const answer = await this.#answer(asked);
      this.#isBusy = false;
      if (this.#waiting === null && this.isConnected) this.#show(answer);
      this.#next();
    }

    /** Scores the metadata in a worker, or without one if the page does not allow workers. */
    #answer(asked: CheckQuestion): Promise<Answer> {
      return new Promise((resolve) => {
        const alone = () => {
          this.#worker = null;
          answerTo(asked).then(resolve);
        };
        try {
          this.#worker ??= new Worker(import.meta.url, { type: "module" });
          this.#worker.onmessage = ({ data }: { readonly data: Answer }) => resolve(data);
          this.#worker.onerror = alone;
          this.#worker.postMessage(asked);
        } catch {
          alone();
        }
      });
    }

    #show(answer: Answer): void {
      if ("problem" in answer) {
        this.#status.textContent = `No score yet: ${answer.problem}.`;
        this.#result.replaceChildren();
        return;
      }
      const { draft } = answer;
      this.#status.replaceChildren(...renderStatus(draft));
      const isOpen = this.#result.querySelector("details")?.open ?? false;
      this.#result.replaceChildren(...renderParts(draft));
      const details = this.#result.querySelector("details");
      if (details !== null) details.open = isOpen;
      this.dispatchEvent(new CustomEvent("share-check", { detail: draft, bubbles: true, composed: true }));
    }
  }

  customElements.define("share-check", ShareCheck);
}

function renderStatus({ record }: DraftScore): (Node | string)[] {
  const { score: scored, cap, range } = record;
  if (scored === null) return ["No score yet: too few of the 25 signals can be judged."];
  const { least, most } = range ?? { least: scored.total, most: scored.total };
  const total = element("span", least === most ? String(least) : `${least} to ${most}`);
  total.className = "total";
  return [total, ` of ${cap} possible points`];
}

/** Largest number of next steps that are shown. */
const STEPS = 3;

function renderParts({ record, improvements }: DraftScore): Node[] {
  const meter = element("meter");
  meter.max = 100;
  meter.value = record.score?.total ?? 0;
  meter.setAttribute("aria-label", "Points of 100");
  const known = improvements.filter(({ points }) => points !== null).slice(0, STEPS);
  const steps = known.map(({ points, advice }) =>
    element("li", advice.join(" "), " ", element("b", `+${points} points`)),
  );
  const signals = record.signals.map(({ name, state }) => {
    const [sign, word] = SIGNS[state] ?? UNKNOWN_SIGN;
    const mark = element("span", sign);
    mark.setAttribute("aria-hidden", "true");
    return element("li", mark, ` ${name}: ${word}`);
  });
  const buckets = record.signals.length / SIGNALS_PER_BUCKET;
  const all = element(
    "details",
    element("summary", `All ${record.signals.length} signals in ${buckets} buckets`),
    element("ul", ...signals),
  );
  return [
    meter,
    ...(steps.length === 0 ? [] : [element("p", "Next steps"), element("ol", ...steps)]),
    all,
    element("p", "Nothing leaves your browser."),
  ];
}

if (typeof document === "undefined") {
  const scope = globalThis as unknown as WorkerScope;
  scope.onmessage = async ({ data }) => scope.postMessage(await answerTo(data));
} else {
  defineElement();
}
