/** Rows of a stream of lines, each a row as JSON. */

/** `open` is called when the first row is asked for; who stops reading lets the stream go. */
export async function* rowsIn<Row>(open: () => Promise<ReadableStream<Uint8Array>>): AsyncGenerator<Row, void> {
  const reader = (await open()).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line);
      if (!done) continue;
      if (rest !== "") throw new TypeError("the stream ends within a row");
      return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
