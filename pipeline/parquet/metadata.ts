/** The metadata of a Parquet file (parquet.thrift of Apache Parquet, format 2): only what we write. */

import type { ColumnType } from "../../schemas/public/column-type.ts";
import { i32, i64, list, struct, type ThriftValue, text } from "./thrift.ts";

/** Types of parquet.thrift; text is bytes that are said to be UTF-8. */
const PHYSICAL = { bool: 0, int: 1, bigint: 2, text: 6 } as const;
const UTF8 = i32(0);
const OPTIONAL = i32(1);
const PLAIN = i32(0);
const RLE = i32(3);
const ZSTD = i32(6);
const DATA_PAGE = i32(0);

/** Types of columns that are written here. */
export type WrittenType = Extract<ColumnType, keyof typeof PHYSICAL>;

/** A page of one column, where it was written. */
export interface WrittenColumn {
  readonly name: string;
  readonly type: WrittenType;
  readonly offset: number;
  /** Bytes with the page's header, compressed and not. */
  readonly compressed: number;
  readonly uncompressed: number;
}

export interface WrittenGroup {
  readonly rows: number;
  readonly columns: readonly WrittenColumn[];
}

export function pageHeader(rows: number, uncompressed: number, compressed: number): Buffer {
  const page = struct({ 1: i32(rows), 2: PLAIN, 3: RLE, 4: RLE });
  return Buffer.from(struct({ 1: DATA_PAGE, 2: i32(uncompressed), 3: i32(compressed), 5: page }).bytes);
}

export function fileMetadata(
  columns: readonly (readonly [string, WrittenType])[],
  groups: readonly WrittenGroup[],
): Buffer {
  const root = struct({ 4: text("table"), 5: i32(columns.length) });
  const schema = list([root, ...columns.map(schemaElement)]);
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const metadata = struct({
    1: i32(2),
    2: schema,
    3: i64(rows),
    4: list(groups.map(rowGroup)),
    6: text("share-release"),
  });
  return Buffer.from(metadata.bytes);
}

function schemaElement([name, type]: readonly [string, WrittenType]): ThriftValue {
  const utf8 = type === "text" ? UTF8 : undefined;
  return struct({ 1: i32(PHYSICAL[type]), 3: OPTIONAL, 4: text(name), 6: utf8 });
}

function rowGroup({ rows, columns }: WrittenGroup): ThriftValue {
  const bytes = columns.reduce((sum, { uncompressed }) => sum + uncompressed, 0);
  return struct({ 1: list(columns.map((column) => columnChunk(column, rows))), 2: i64(bytes), 3: i64(rows) });
}

function columnChunk({ name, type, offset, compressed, uncompressed }: WrittenColumn, rows: number): ThriftValue {
  const metadata = struct({
    1: i32(PHYSICAL[type]),
    2: list([PLAIN, RLE]),
    3: list([text(name)]),
    4: ZSTD,
    5: i64(rows),
    6: i64(uncompressed),
    7: i64(compressed),
    9: i64(offset),
  });
  return struct({ 2: i64(offset), 3: metadata });
}
