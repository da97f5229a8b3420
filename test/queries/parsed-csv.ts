/** A CSV answer as another reader has it. */

import { parseString } from "fast-csv";

/** Lines of cells, the heads first. */
export function parsedCsv(text: string): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    const rows: string[][] = [];
    parseString<string[], string[]>(text, { headers: false })
      .on("error", reject)
      .on("data", (row) => rows.push(row))
      .on("end", () => resolve(rows));
  });
}
