/**
 * Runs predicates in two ways: as SQL for a table of evidence, and in JavaScript for one row. Both use SQL's three-valued
 * logic and have the same results (test/score/differential.test.ts).
 */

import { EVIDENCE, type Evidence, type EvidenceName } from "../../schemas/public/evidence.ts";
import { listTreeParts, parsePredicate, type Tree } from "../../schemas/public/predicate.ts";

/** The evidence columns that are counts. In rules with `or`, a count that the source can never carry is 0. */
export const COUNTS: ReadonlySet<EvidenceName> = new Set(
  EVIDENCE.flatMap(({ name, type }) => (type === "int" ? [name] : [])),
);

/** True for a rule with alternatives (`or`). If the source can never carry one count, the other one decides. */
export function hasAlternatives({ rule }: { readonly rule: string }): boolean {
  return hasOr(parsePredicate(rule));
}

export function hasOr(tree: Tree): boolean {
  return [...listTreeParts(tree)].some(({ kind }) => kind === "or");
}

/** Returns the SQL of a predicate. `columnSql` returns the SQL of a column; by default, this is its name. */
export function predicateSql(tree: Tree, columnSql: (name: EvidenceName) => string = (name) => name): string {
  const sql = (part: Tree): string => predicateSql(part, columnSql);
  switch (tree.kind) {
    case "column":
      return columnSql(tree.name);
    case "literal":
      return tree.value === "" ? "''" : String(tree.value);
    case "product":
      return `(${factorSql(tree.left, sql)} * ${factorSql(tree.right, sql)})`;
    case "coalesce":
      return `coalesce(${tree.values.map(sql).join(", ")})`;
    case "comparison":
      return `(${sql(tree.left)} ${tree.operator} ${sql(tree.right)})`;
    case "is":
      return `(${sql(tree.operand)} is ${tree.value})`;
    case "not":
      return `(not ${sql(tree.operand)})`;
    case "and":
    case "or":
      return `(${sql(tree.left)} ${tree.kind} ${sql(tree.right)})`;
    default:
      return tree satisfies never;
  }
}

/** Returns the SQL of a factor. A literal becomes a decimal, because a product of two 32-bit integers could overflow. */
function factorSql(factor: Tree, sql: (part: Tree) => string): string {
  return factor.kind === "literal" ? `${sql(factor)}.0` : sql(factor);
}

type Value = number | boolean | string | null;

/** Returns whether a row of evidence fulfils a predicate: true, false, or null if the evidence does not show it. */
export function evaluatePredicate(tree: Tree, row: Evidence): boolean | null {
  const value = valueIn(tree, row);
  return value === null ? null : value === true;
}

function valueIn(tree: Tree, row: Evidence): Value {
  switch (tree.kind) {
    case "column":
      return row[tree.name];
    case "literal":
      return tree.value;
    case "product": {
      const left = valueIn(tree.left, row);
      const right = valueIn(tree.right, row);
      return left === null || right === null ? null : Number(left) * Number(right);
    }
    case "coalesce": {
      for (const value of tree.values) {
        const found = valueIn(value, row);
        if (found !== null) return found;
      }
      return null;
    }
    case "comparison": {
      const left = valueIn(tree.left, row);
      const right = valueIn(tree.right, row);
      return left === null || right === null ? null : compare(tree.operator, left, right);
    }
    case "is":
      return valueIn(tree.operand, row) === tree.value;
    case "not": {
      const operand = valueIn(tree.operand, row);
      return operand === null ? null : !operand;
    }
    case "and": {
      const left = valueIn(tree.left, row);
      if (left === false) return false;
      const right = valueIn(tree.right, row);
      return right === false ? false : left === null || right === null ? null : true;
    }
    case "or": {
      const left = valueIn(tree.left, row);
      if (left === true) return true;
      const right = valueIn(tree.right, row);
      return right === true ? true : left === null || right === null ? null : false;
    }
    default:
      return tree satisfies never;
  }
}

function compare(
  operator: Extract<Tree, { kind: "comparison" }>["operator"],
  left: NonNullable<Value>,
  right: NonNullable<Value>,
): boolean {
  switch (operator) {
    case "=":
      return left === right;
    case "<>":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    default:
      return operator satisfies never;
  }
}
