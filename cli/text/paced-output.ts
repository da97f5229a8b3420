/** Long outputs: no faster than whoever reads them, and to an end where nobody does any more. */

/** Writes to standard output; false once its reader is gone (`| head`), when there is no use in going on. */
export async function writePaced(text: string): Promise<boolean> {
  const out = process.stdout;
  if (out.destroyed) return false;
  if (out.write(text)) return true;
  await new Promise<void>((resolve) => {
    const done = () => {
      out.off("drain", done);
      out.off("close", done);
      resolve();
    };
    out.on("drain", done);
    out.on("close", done);
  });
  return !out.destroyed;
}
