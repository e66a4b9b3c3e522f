/**
 * Decodes stored events from their text. A schema takes up to ten times as long as JSON parsing, so the structure of the schema is walked
 * once and becomes plain functions. A value that these do not accept is left to the schema, which decodes it or names the fault. So only
 * the schema decides what an event may be.
 */
import { Redacted, Result, Schema, type SchemaAST } from "effect"
import { type BotEvent, StoredEvent } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { Amount, amountText, mostDigits, mostPlaces, Price, StoredBytes } from "../domain/EventValues.ts"

const bySchema = Schema.decodeUnknownResult(Schema.fromJsonString(StoredEvent))

export const decode = (text: string): Result.Result<BotEvent, Schema.SchemaError> => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  const eventValue = Result.isSuccess(parsed) ? event(parsed.success) : refused
  return eventValue === refused ? bySchema(text) : Result.succeed(eventValue as BotEvent)
}

/** Returns the kind of an event that this program does not know; `undefined` if it knows the kind. */
export const unknownKind = (text: string): string | undefined => {
  const tag = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)?.["_tag"]))
  return typeof tag === "string" && !(tag in StoredEvent.cases) ? tag : undefined
}

const refused = Symbol("refused")

/** Converts a raw value. It changes objects and arrays in place, because no other code holds them. */
type Step = (value: unknown) => unknown

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const event: Step = (value) => {
  if (!isObject(value)) return refused
  const tag = value["_tag"]
  if (typeof tag !== "string") return refused
  const renamed = renames.get(tag)
  if (renamed !== undefined) rename(value, renamed)
  const step = steps.get(tag) ?? stepOfCase(tag)
  steps.set(tag, step)
  return step(value)
}

const steps = new Map<string, Step>()

/** Fields of older journals whose name every recorded event now uses for something else. */
const renames: ReadonlyMap<string, readonly [then: string, now: string]> = new Map([
  ["JournalBroken", ["event", "number"]],
  ["SignalReceived", ["at", "from"]]
])

const rename = (value: Record<string, unknown>, [then, now]: readonly [string, string]): void => {
  if (value[then] === undefined) return
  value[now] ??= value[then]
  delete value[then]
}

const stepOfCase = (tag: string): Step => {
  const caseEntry = Object.entries<Schema.Top>(StoredEvent.cases).find(([name]) => name === tag)
  return caseEntry === undefined ? () => refused : stepOf(caseEntry[1].ast)
}

const stepOf = (ast: SchemaAST.AST): Step => {
  if (ast.encoding !== undefined) return stepByTransformation.get(ast.encoding[0].transformation) ?? asSchema(ast)
  const step = "encodingChecks" in ast && ast.encodingChecks !== undefined ? undefined : plainStepOf(ast)
  return step === undefined ? asSchema(ast) : checked(step, ast)
}

const amount: Step = (value) => (typeof value === "string" && amountText.test(value) ? BigInt(value) : refused)

const prices = new Map<string, Decimal.Decimal>()
const maxPrices = 4_096

const priceOf = (text: string): Decimal.Decimal | undefined => {
  const cachedPrice = prices.get(text)
  if (cachedPrice !== undefined) return cachedPrice
  const parsedPrice = Decimal.parse(text)
  if (prices.size >= maxPrices) prices.clear()
  if (parsedPrice !== undefined) prices.set(text, parsedPrice)
  return parsedPrice
}

const price: Step = (value) => {
  const decimalValue = typeof value === "string" ? priceOf(value) : undefined
  const isFar =
    decimalValue === undefined ||
    decimalValue.scale > mostPlaces ||
    decimalValue.digits > mostDigits ||
    decimalValue.digits < -mostDigits
  return isFar ? refused : decimalValue
}

const bytes: Step = (value) => (typeof value === "string" ? Redacted.make(value) : refused)

/** Keyed by the transformation, because an optional schema is a different object but shares the transformation. */
const stepByTransformation = new Map(
  ([[Amount, amount] as const, [Price, price] as const, [StoredBytes, bytes] as const] as const).map(
    ([{ ast }, step]) => [ast.encoding?.[0].transformation, step]
  )
)

const asSchema = (ast: SchemaAST.AST): Step => {
  const decodePart = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast))
  return (value) => Result.getOrElse(decodePart(value), () => refused)
}

const plainStepOf = (ast: SchemaAST.AST): Step | undefined => {
  switch (ast._tag) {
    case "String":
      return (value) => (typeof value === "string" ? value : refused)
    case "Number":
      return (value) => (typeof value === "number" ? value : refused)
    case "Boolean":
      return (value) => (typeof value === "boolean" ? value : refused)
    case "Literal":
      return (value) => (value === ast.literal ? value : refused)
    case "Arrays":
      return arrayStep(ast)
    case "Objects":
      return objectStep(ast)
    case "Union":
      return choiceStep(ast)
    default:
      return undefined
  }
}

const checked = (step: Step, ast: SchemaAST.AST): Step => {
  const { checks } = ast
  if (checks === undefined) return step
  return (value) => {
    const stepOutput = step(value)
    if (stepOutput === refused) return refused
    for (const check of checks)
      if (check._tag !== "Filter" || check.run(stepOutput, ast, {}) !== undefined) return refused
    return stepOutput
  }
}

const arrayStep = ({ elements, rest }: SchemaAST.Arrays): Step | undefined => {
  const [element] = rest
  if (elements.length > 0 || rest.length > 1 || element === undefined) return undefined
  const step = stepOf(element)
  return (value) => {
    if (!Array.isArray(value)) return refused
    for (let index = 0; index < value.length; index += 1) {
      const elementValue = step(value[index])
      if (elementValue === refused) return refused
      value[index] = elementValue
    }
    return value
  }
}

const objectStep = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Step | undefined => {
  if (indexSignatures.length > 0 || propertySignatures.length === 0) return undefined
  const fields = propertySignatures.map(({ name, type }) => ({
    name: String(name),
    isOptional: type.context?.isOptional === true,
    step: stepOf(type)
  }))
  return (value) => {
    if (!isObject(value)) return refused
    let fieldCount = 0
    for (const { isOptional, name, step } of fields) {
      const field = value[name]
      if (field === undefined) {
        if (isOptional) continue
        return refused
      }
      const fieldOutput = step(field)
      if (fieldOutput === refused) return refused
      if (fieldOutput !== field) value[name] = fieldOutput
      fieldCount += 1
    }
    // The schema omits unknown fields, so an object with such fields is left to it.
    for (const _ in value) fieldCount -= 1
    return fieldCount === 0 ? value : refused
  }
}

const choiceStep = ({ types }: SchemaAST.Union): Step | undefined => {
  const words = new Set<unknown>()
  for (const type of types) {
    if (type._tag !== "Literal" || type.encoding !== undefined || type.checks !== undefined) return undefined
    words.add(type.literal)
  }
  return (value) => (words.has(value) ? value : refused)
}
