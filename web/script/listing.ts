/**
 * Searches, filters and sorts a list of a static site. The address of the page has the user's choices. The program and
 * the data are loaded at the first choice, and both as scripts, because a page that is opened from a folder may not
 * read other files.
 */

export default function showList(): void {
  const name = document.querySelector<HTMLScriptElement>("script[data-list]")?.dataset.list;
  const main = document.querySelector("main");
  const address = `${name}.html`;
  if (!name || !main || !location.pathname.endsWith(`/${address}`)) return;
  const site = globalThis as unknown as {
    listMarkup: (data: object, name: string, query: URLSearchParams) => string;
    listData: object;
  };
  const load = (file: string) =>
    new Promise<void>((resolve, reject) => {
      const script = document.createElement("script");
      script.src = file;
      script.onload = () => resolve();
      script.onerror = reject;
      document.head.append(script);
    });
  let loaded: Promise<unknown> | null = null;
  const start = () => {
    loaded ??= Promise.all([load("lists.js"), load("lists-data.js")]);
    return loaded;
  };
  const show = async () => {
    await start();
    main.innerHTML = site.listMarkup(site.listData, name, new URLSearchParams(location.search));
    document.dispatchEvent(new Event("content"));
  };
  const go = (query: string) => {
    history.pushState(null, "", query === "" ? address : `${address}?${query}`);
    void show().then(() => main.focus());
  };
  main.addEventListener("focusin", () => void start(), { once: true });
  main.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement)) return;
    event.preventDefault();
    const fields = [...new FormData(event.target)].filter(([, value]) => value !== "");
    go(new URLSearchParams(fields as [string, string][]).toString());
  });
  main.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    if (link.pathname !== location.pathname || link.hash !== "") return;
    event.preventDefault();
    go(link.search.slice(1));
  });
  addEventListener("popstate", () => void show());
  if (location.search !== "") void show();
}
