/** What is jumped to is opened: a signal, from its cell. */

export const OPENING = `
  const open = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (found instanceof HTMLDetailsElement) found.open = true;
  };
  addEventListener("hashchange", open);
  open();
`;
