/** The two forms that all rows of a list are sent in, batch by batch, and what each has before and behind them. */

import type { z } from "zod";
import { ARROW_TYPE, NDJSON_TYPE } from "../../../api-static/routes/route.ts";
import type { StreamForm } from "../../frame/reading/wanted-form.ts";
import type { Fields } from "./fields.ts";

export interface RowPieces {
  readonly contentType: string;
  /** What comes before all rows; empty where nothing does. */
  head(): string | Uint8Array;
  batch(rows: readonly object[]): string | Uint8Array;
  /** What says that nothing follows; empty where nothing does. */
  tail(): string | Uint8Array;
}

/** A stream that is asked for. `answer`: schema of the list's answer; `fields`: members that are asked for, null for all. */
export interface Streamed {
  readonly answer: z.ZodType | null;
  readonly fields: Fields | null;
  /** Words on the whole of it, for forms that have a place for them. */
  readonly about: ReadonlyMap<string, string>;
}

export async function rowPieces(form: StreamForm, streamed: Streamed): Promise<RowPieces> {
  if (form === "ndjson") return lines(streamed);
  // Loaded for who asks for it: no start of the server waits for the library.
  const { ArrowPieces } = await import("./arrow-pieces.ts");
  return new ArrowPieces(streamed, ARROW_TYPE);
}

function lines({ fields }: Streamed): RowPieces {
  return {
    contentType: NDJSON_TYPE,
    head: () => "",
    batch: (rows) => rows.map((row) => `${JSON.stringify(fields === null ? row : fields.of(row))}\n`).join(""),
    tail: () => "",
  };
}
