/**
 * Predicates over evidence: the rules of contracts, parsed from their text into trees. SQL and JavaScript are both made from
 * the tree (pipeline/rubrics/predicates.ts). The grammar, in which a group in braces may repeat and one in square brackets
 * may be missing:
 *
 *     predicate   = conjunction { "or" conjunction }
 *     conjunction = negation { "and" negation }
 *     negation    = "not" negation | test
 *     test        = comparison [ "is" [ "not" ] ( "null" | "true" | "false" ) ]
 *     comparison  = product [ ( "=" | "<>" | "<" | "<=" | ">" | ">=" ) product ]
 *     product     = value [ "*" value ]
 *     value       = column | integer | "''" | "true" | "false"
 *                 | "coalesce" "(" predicate { "," predicate } ")" | "(" predicate ")"
 *
 * Both sides of a comparison have the same type. Only integers have an order. One side of a product is an integer as text.
 */

import { EVIDENCE, type EvidenceName, type EvidenceType } from "./evidence.ts";

export const COMPARISONS = ["=", "<>", "<", "<=", ">", ">="] as const;
export type ComparisonOperator = (typeof COMPARISONS)[number];

/**
 * A parsed predicate or a part of one. `a is not null` becomes the negation of `a is null`, because that test never returns
 * null.
 */
export type Tree =
  | { readonly kind: "column"; readonly name: EvidenceName }
  | { readonly kind: "literal"; readonly value: number | boolean | "" }
  | { readonly kind: "product"; readonly left: Tree; readonly right: Tree }
  | { readonly kind: "coalesce"; readonly values: readonly Tree[] }
  | { readonly kind: "comparison"; readonly operator: ComparisonOperator; readonly left: Tree; readonly right: Tree }
  | { readonly kind: "is"; readonly operand: Tree; readonly value: boolean | null }
  | { readonly kind: "not"; readonly operand: Tree }
  | { readonly kind: "and" | "or"; readonly left: Tree; readonly right: Tree };

/** Error for a text that is not a predicate. */
export class PredicateError extends Error {
  readonly code = "ERR_PREDICATE";
  /** Position of the fault in the text, from 0. */
  readonly at: number;
  /** The unknown word, if the fault is that it is not an evidence column; otherwise null. */
  readonly unknown: string | null;

  constructor(at: number, problem: string, unknown: string | null = null) {
    super(problem);
    this.name = "PredicateError";
    this.at = at;
    this.unknown = unknown;
  }
}

/**
 * Longest predicate in characters, and deepest nesting. There are limits, because contracts can come from unknown people.
 */
const MAX_LENGTH = 1000;
const MAX_DEPTH = 50;

/** Largest integer in evidence and predicates. */
const MAX_INTEGER = 2_147_483_647;

/**
 * Parses the rule of a signal.
 * @throws PredicateError
 */
export function parsePredicate(text: string): Tree {
  if (text.length > MAX_LENGTH) {
    throw new PredicateError(MAX_LENGTH, `a predicate must have at most ${MAX_LENGTH} characters`);
  }
  return new Parser(splitTokens(text)).parse();
}

/** Yields a tree and all of its parts. */
export function* listTreeParts(tree: Tree): Generator<Tree, void> {
  yield tree;
  switch (tree.kind) {
    case "column":
    case "literal":
      return;
    case "is":
    case "not":
      yield* listTreeParts(tree.operand);
      return;
    case "coalesce":
      for (const value of tree.values) yield* listTreeParts(value);
      return;
    case "product":
    case "comparison":
    case "and":
    case "or":
      yield* listTreeParts(tree.left);
      yield* listTreeParts(tree.right);
      return;
    default:
      tree satisfies never;
  }
}

/** Returns the evidence columns in a predicate, in the order in which they first occur. */
export function listPredicateColumns(tree: Tree): EvidenceName[] {
  return [...new Set([...listTreeParts(tree)].flatMap((part) => (part.kind === "column" ? [part.name] : [])))];
}

interface Token {
  readonly kind: "word" | "integer" | "symbol" | "end";
  readonly text: string;
  readonly at: number;
}

const BLANK = /[ \t\r\n]*/y;
const TOKEN = /([A-Za-z_][A-Za-z_0-9]*)|(\d+)|<=|>=|<>|''|[=<>*(),]/y;

function splitTokens(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, TOKEN.lastIndex)) {
    TOKEN.lastIndex = at;
    const [token, word, integer] = TOKEN.exec(text) ?? [];
    if (token === undefined)
      throw new PredicateError(
        at,
        `unexpected ${JSON.stringify(text.charAt(at))}; use columns, integers, '', and, or, not, is, coalesce, comparisons, * and brackets`,
      );
    tokens.push({ kind: word !== undefined ? "word" : integer !== undefined ? "integer" : "symbol", text: token, at });
  }
  return [...tokens, { kind: "end", text: "", at: text.length }];
}

function skipBlank(text: string, at: number): number {
  BLANK.lastIndex = at;
  BLANK.test(text);
  return BLANK.lastIndex;
}

const TYPES = new Map<string, EvidenceType>(EVIDENCE.map(({ name, type }) => [name, type]));

/** Words of the grammar, which cannot be columns. */
const WORDS = new Set(["and", "or", "not", "is", "null", "true", "false", "coalesce"]);

const NOUNS: Readonly<Record<EvidenceType, string>> = { int: "an integer", bool: "true or false", text: "a text" };

/** A parsed part of a predicate, with its type and the position of its first character. */
interface Typed {
  readonly tree: Tree;
  readonly type: EvidenceType;
  /**
   * Largest absolute value that an integer can have. A product must not exceed the integers that JavaScript represents
   * exactly.
   */
  readonly max: number;
  readonly at: number;
}

/** Parses a predicate by recursive descent. Each line of the grammar has one method. */
class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Tree {
    const predicate = this.#predicate();
    if (this.#token.kind !== "end") throw this.#expected("and, or, a comparison or the end");
    return requireType(predicate, "bool").tree;
  }

  #predicate(): Typed {
    return this.#joined("or", () => this.#conjunction());
  }

  #conjunction(): Typed {
    return this.#joined("and", () => this.#negation());
  }

  #joined(kind: "and" | "or", operand: () => Typed): Typed {
    let joined = operand();
    while (this.#take(kind) !== null) {
      const left = requireType(joined, "bool").tree;
      const right = requireType(operand(), "bool").tree;
      joined = { ...joined, tree: { kind, left, right } };
    }
    return joined;
  }

  #negation(): Typed {
    const not = this.#take("not");
    if (not === null) return this.#test();
    const operand = requireType(
      this.#nested(not, () => this.#negation()),
      "bool",
    ).tree;
    return condition({ kind: "not", operand }, not.at);
  }

  #test(): Typed {
    const operand = this.#comparison();
    if (this.#take("is") === null) return operand;
    const isNegated = this.#take("not") !== null;
    const word = this.#take("null", "true", "false");
    if (word === null) throw this.#expected(isNegated ? "null, true or false" : "null, not null, true or false");
    if (word.text !== "null") requireType(operand, "bool");
    const value = word.text === "null" ? null : word.text === "true";
    const tree: Tree = { kind: "is", operand: operand.tree, value };
    return condition(isNegated ? { kind: "not", operand: tree } : tree, operand.at);
  }

  #comparison(): Typed {
    const left = this.#product();
    const token = this.#take(...COMPARISONS);
    const operator = COMPARISONS.find((each) => each === token?.text);
    if (token === null || operator === undefined) return left;
    if (operator !== "=" && operator !== "<>" && left.type !== "int") {
      throw new PredicateError(token.at, `${operator} compares integers, found ${NOUNS[left.type]}; use = or <>`);
    }
    const right = requireType(this.#product(), left.type);
    return condition({ kind: "comparison", operator, left: left.tree, right: right.tree }, left.at);
  }

  #product(): Typed {
    const left = this.#value();
    const star = this.#take("*");
    if (star === null) return left;
    const right = requireType(this.#value(), "int");
    requireType(left, "int");
    if (left.tree.kind !== "literal" && right.tree.kind !== "literal") {
      throw new PredicateError(star.at, "one side of * must be an integer, such as 2");
    }
    const max = left.max * right.max;
    if (max > Number.MAX_SAFE_INTEGER)
      throw new PredicateError(star.at, `the product can exceed 2^53; use a smaller factor`);
    return { tree: { kind: "product", left: left.tree, right: right.tree }, type: "int", max, at: left.at };
  }

  #value(): Typed {
    const token = this.#token;
    if (this.#take("(") !== null) {
      const inner = this.#nested(token, () => this.#predicate());
      this.#close(")", "and, or, a comparison or )");
      return { ...inner, at: token.at };
    }
    if (this.#take("coalesce") !== null) return this.#coalesce(token);
    const value = this.#constant() ?? this.#column();
    this.#next += 1;
    return value;
  }

  #coalesce(coalesce: Token): Typed {
    this.#close("(", "(");
    const first = this.#nested(coalesce, () => this.#predicate());
    const values = [first];
    while (this.#take(",") !== null)
      values.push(
        requireType(
          this.#nested(coalesce, () => this.#predicate()),
          first.type,
        ),
      );
    this.#close(")", ", or )");
    const max = Math.max(...values.map((value) => value.max));
    return {
      tree: { kind: "coalesce", values: values.map(({ tree }) => tree) },
      type: first.type,
      max,
      at: coalesce.at,
    };
  }

  #constant(): Typed | null {
    const { kind, text, at } = this.#token;
    if (text === "true" || text === "false") return condition({ kind: "literal", value: text === "true" }, at);
    if (text === "''") return { tree: { kind: "literal", value: "" }, type: "text", max: 0, at };
    if (kind !== "integer") return null;
    const max = Number(text);
    if (max > MAX_INTEGER) throw new PredicateError(at, `${text} is too large; the largest integer is ${MAX_INTEGER}`);
    return { tree: { kind: "literal", value: max }, type: "int", max, at };
  }

  #column(): Typed {
    const { kind, text, at } = this.#token;
    if (kind !== "word" || WORDS.has(text)) throw this.#expected("a column, an integer, '' or (");
    const name = EVIDENCE.find((column) => column.name === text)?.name;
    const type = TYPES.get(text);
    if (name === undefined || type === undefined)
      throw new PredicateError(at, `there is no column "${text}" in evidence`, text);
    return { tree: { kind: "column", name }, type, max: MAX_INTEGER, at };
  }

  get #token(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    if (token === undefined) throw new Error("the parser of predicates has no token left; report this");
    return token;
  }

  /** Returns the next token and moves past it, if it is one of the given texts; otherwise null. */
  #take(...texts: readonly string[]): Token | null {
    const token = this.#token;
    if (token.kind === "end" || !texts.includes(token.text)) return null;
    this.#next += 1;
    return token;
  }

  #close(text: string, expected: string): void {
    if (this.#take(text) === null) throw this.#expected(expected);
  }

  #expected(what: string): PredicateError {
    const { kind, text, at } = this.#token;
    return new PredicateError(at, `expected ${what}, found ${kind === "end" ? "the end" : JSON.stringify(text)}`);
  }

  #nested(token: Token, parse: () => Typed): Typed {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new PredicateError(token.at, `more than ${MAX_DEPTH} levels of brackets and negations; use fewer`);
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }
}

function condition(tree: Tree, at: number): Typed {
  return { tree, type: "bool", max: 0, at };
}

function requireType(part: Typed, type: EvidenceType): Typed {
  if (part.type === type) return part;
  const hint = type === "bool" ? "; compare it with a value" : "";
  throw new PredicateError(part.at, `expected ${NOUNS[type]}, found ${NOUNS[part.type]}${hint}`);
}
