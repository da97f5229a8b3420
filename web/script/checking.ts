/**
 * Scores a draft on the check page while the user types, in a worker that is loaded when the user enters a form. A
 * worker that takes too long is ended, so that no file can freeze the page. Without a worker, the forms are sent to the
 * server, if there is one.
 */

/** Marks a text that is translated on pages in other languages. */
declare function t(text: string): string;

export default function checkDrafts(): void {
  const place = document.querySelector<HTMLElement>("[data-live]");
  const status = document.querySelector<HTMLElement>(".live");
  const result = place?.querySelector<HTMLElement>("div");
  if (!place || !status || !result) return;
  const fieldsPart = document.getElementById("form");
  let isOfFile = false;
  const forms = document.querySelectorAll<HTMLFormElement>("form[data-draft]");
  const other = forms[0]?.hasAttribute("action") ? t("Use the button to check it.") : "";
  const limit = 10_000;
  let worker: Worker | null = null;
  let timer = 0;
  let isBusy = false;
  let waiting: object | null = null;
  const show = (text: string, markup: string | null) => {
    status.textContent = text;
    place.hidden = markup === null;
    // Otherwise an empty form would be between a file and its result.
    if (fieldsPart) fieldsPart.hidden = isOfFile && markup !== null;
    if (markup === null) return;
    const open = [...result.querySelectorAll("details[open][id]")].map(({ id }) => id);
    result.innerHTML = markup;
    for (const details of result.querySelectorAll("details")) details.open ||= open.includes(details.id);
    document.dispatchEvent(new Event("content"));
  };
  const end = (text: string) => {
    clearTimeout(timer);
    worker?.terminate();
    worker = null;
    isBusy = false;
    waiting = null;
    show(text, null);
  };
  const next = () => {
    if (isBusy || waiting === null) return;
    isBusy = true;
    worker?.postMessage(waiting);
    waiting = null;
    timer = setTimeout(() => end(t(`Your draft takes too long to score here, so we stopped. ${other}`)), limit);
  };
  const start = () => {
    if (worker) return;
    // The first message says that the worker has loaded.
    isBusy = true;
    worker = new Worker(place.dataset.live ?? "", { type: "module" });
    worker.onerror = () => end(t(`Your browser cannot score the draft here. ${other}`));
    worker.onmessage = ({ data }) => {
      clearTimeout(timer);
      isBusy = false;
      if (waiting === null && data) show(data.status, data.markup);
      next();
    };
  };
  const score = (draft: object) => {
    start();
    waiting = draft;
    next();
  };
  const scoreForm = async (form: HTMLFormElement) => {
    // The result is below the form that the user fills in.
    const above = form.closest("section");
    if (above?.nextElementSibling !== place) above?.after(place);
    const typed = Object.fromEntries(new FormData(form));
    const { file, pasted, source, form: kind, ...fields } = typed;
    isOfFile = !kind;
    if (kind) {
      if (Object.values({ ...fields, access: "" }).some((text) => text !== "")) score({ fields });
      else show("", null);
    } else if (file instanceof File && file.size > 0) {
      score({ file: new Uint8Array(await file.arrayBuffer()), fileName: file.name, source });
    } else if (pasted) score({ file: pasted, fileName: null, source });
    else show("", null);
  };
  for (const form of forms) {
    form.addEventListener("focusin", start, { once: true });
    form.addEventListener("input", () => void scoreForm(form));
    form.addEventListener("submit", (event) => {
      if (place.hidden && other) return;
      event.preventDefault();
      place.querySelector("h2")?.focus();
    });
    const input = form.querySelector<HTMLInputElement>("[type=file]");
    if (!input) continue;
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      const files = event.dataTransfer?.files;
      if (!files || files.length === 0) return;
      event.preventDefault();
      input.files = files;
      void scoreForm(form);
    });
  }
}
