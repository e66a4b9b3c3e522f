/**
 * Compares an answer's JSON with its schema and lists every difference: unknown fields, missing promised fields, values of another kind,
 * and words that a list does not have. The schemas themselves tolerate these, because a bot must continue to read what it can.
 */
import { Option, Schema, type SchemaAST } from "effect"
import { absent } from "../../domain/Drift.ts"
import { isRecord } from "../../domain/Text.ts"
import { clean } from "../wire/WireValue.ts"

export interface ShapeDifference {
  /** `attributes.partialFills[].id`; empty for the whole answer. */
  readonly path: string
  readonly was: string
  readonly is: string
  readonly isUnreadable: boolean
}

interface Recorded {
  readonly schema: Schema.Codec<unknown, unknown>
  /** Paths of fields that are always there, though some may be null. Required fields of the schema need no entry. */
  readonly promised: ReadonlyArray<string>
  readonly needed: ReadonlyArray<string>
}

const maxShown = 60

export const fieldOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)

const kindOf = (value: unknown): string =>
  value === undefined ? absent : value === null ? "null" : Array.isArray(value) ? "a list" : `${nouns[typeof value]}`

const nouns: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  object: "an object"
}

const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(partsOf) : ast._tag === "Suspend" ? partsOf(ast.thunk()) : [ast]

const kindsOfParts: Readonly<Partial<Record<SchemaAST.AST["_tag"], string | undefined>>> = {
  Objects: nouns["object"],
  Arrays: "a list",
  String: nouns["string"],
  Number: nouns["number"],
  Boolean: nouns["boolean"],
  Null: "null"
}

const kindOfPart = (part: SchemaAST.AST): string | undefined =>
  part._tag === "Literal" ? nouns[typeof part.literal] : kindsOfParts[part._tag]

const isNullable = (ast: SchemaAST.AST): boolean => partsOf(ast).some((part) => kindOfPart(part) === "null")

export const differences = (
  { needed, promised, schema }: Recorded,
  answer: unknown
): ReadonlyArray<ShapeDifference> => {
  const differenceByKey = new Map<string, ShapeDifference>()
  // Informal fields may have any form, so a difference makes nothing unreadable if the answer can be decoded.
  const isLost = Option.isNone(Schema.decodeUnknownOption(schema)(answer))
  const note = (path: string, was: string, is: string, isUnreadable = false) => {
    // A new field counts once, though it may be null in one element and have a value in another.
    const key = was === absent ? path : `${path} ${was} ${is}`
    const difference = differenceByKey.get(key)
    if (difference === undefined || difference.is === "null")
      differenceByKey.set(key, { path, was: clean(was), is: clean(is), isUnreadable })
  }

  const field = (path: string, ast: SchemaAST.AST, isOptional: boolean, value: unknown): void => {
    const isNeeded = needed.includes(path)
    const isMissing = value === undefined || (value === null && isNeeded)
    if (!isMissing) return walk(path, ast, value)
    const isUnreadable = value === undefined ? !isOptional : !isNullable(ast)
    if (isNeeded || isUnreadable || promised.includes(path))
      note(path, expectedOf(ast), kindOf(value), isUnreadable && isLost)
  }

  const walk = (path: string, ast: SchemaAST.AST, value: unknown): void => {
    const parts = partsOf(ast)
    const kinds = new Set(parts.map(kindOfPart))
    if (kinds.has(undefined)) return
    const is = kindOf(value)
    if (!kinds.has(is)) return note(path, expectedOf(ast), is, isLost)
    const words = parts.flatMap((part) => (part._tag === "Literal" ? [String(part.literal)] : []))
    if (typeof value === "string" && words.length > 0 && !words.includes(value))
      note(path, `one of ${words.join(", ")}`, value.slice(0, maxShown))
    for (const part of parts) {
      if (part._tag === "Arrays" && Array.isArray(value))
        for (const element of value) for (const rest of part.rest) walk(`${path}[]`, rest, element)
      if (part._tag === "Objects" && isRecord(value)) fields(path, part, value)
    }
  }

  const fields = (path: string, ast: SchemaAST.Objects, value: Readonly<Record<string, unknown>>): void => {
    const below = (name: string) => (path === "" ? name : `${path}.${name}`)
    const names = new Set(ast.propertySignatures.map(({ name }) => String(name)))
    for (const { name, type } of ast.propertySignatures)
      field(below(String(name)), type, type.context?.isOptional === true, value[String(name)])
    // An answer within this answer has its own contract.
    if (ast.indexSignatures.length > 0) return
    for (const [name, own] of Object.entries(value))
      if (!names.has(name)) note(below(name.slice(0, maxShown)), absent, kindOf(own))
  }

  walk("", Schema.toEncoded(schema).ast, answer)
  return [...differenceByKey.values()]
}

const expectedOf = (ast: SchemaAST.AST): string =>
  [...new Set(partsOf(ast).flatMap((part) => kindOfPart(part) ?? []))].filter((kind) => kind !== "null").join(" or ")
