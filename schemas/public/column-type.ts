/** The types of columns: whole numbers, text, truth values and decimals with two places; no floating point. */

/** `hundredths` is a decimal with two places. */
export type ColumnType = "text" | "int" | "bigint" | "bool" | "hundredths";

interface Values {
  readonly text: string;
  readonly int: number;
  readonly bigint: bigint;
  readonly bool: boolean;
  /** Its exact text. */
  readonly hundredths: string;
}

/** A value of a column in our code. */
export type ValueOf<Type extends ColumnType> = Values[Type];

/** A row of columns; those named in `Always` are never null. */
export type RowOf<Columns extends Readonly<Record<string, ColumnType>>, Always extends PropertyKey = never> = {
  readonly [Name in keyof Columns]: Name extends Always ? ValueOf<Columns[Name]> : ValueOf<Columns[Name]> | null;
};
