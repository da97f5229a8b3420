/** Parses a CSV response with an independent library. */

import { parseString } from "fast-csv";

/** Returns the cells of each line of a CSV text. The first line is the header. */
export function parsedCsv(text: string): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    const rows: string[][] = [];
    parseString<string[], string[]>(text, { headers: false })
      .on("error", reject)
      .on("data", (row) => rows.push(row))
      .on("end", () => resolve(rows));
  });
}
