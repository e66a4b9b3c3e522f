/**
 * The program's expectations of each read-only answer: its schema, its promised fields, and the fields that orders or money depend on. An
 * answer's JSON is compared with its schema, and every difference is listed: unknown fields, missing promised fields, values of another
 * kind, and words that a list does not have. The schemas themselves tolerate these, because a bot must continue to read what it can.
 */
import { Option, Schema, type SchemaAST } from "effect"
import { absent, type Drift } from "../../domain/Drift.ts"
import { isRecord } from "../../domain/Text.ts"
import { BalancesResponse } from "../api/AccountApi.ts"
import { WireToken } from "../api/SwapsApi.ts"
import { AccountHistoryItem, TransactionRecord } from "../wire/WireHistory.ts"
import { OrderListReply, OrderResponse, WireOrder } from "../wire/WireOrder.ts"
import { QuoteResponse } from "../wire/WireQuote.ts"
import { SwapStatusResponse } from "../wire/WireSwap.ts"
import { clean } from "../wire/WireValue.ts"

interface Kind {
  readonly of: string
  readonly schema: Schema.Codec<unknown, unknown>
  /** Paths of fields that are always there, though some may be null. Required fields of the schema need no entry. */
  readonly promised: ReadonlyArray<string>
  /** Paths of an answer that money depends on. A path that ends in `?` may be empty. */
  readonly money: (answer: unknown) => ReadonlyArray<string>
  /** One field that cannot be read makes the whole answer unreadable. */
  readonly isReadWhole: boolean
}

const always =
  (...names: ReadonlyArray<string>) =>
  () =>
    names

const under = (path: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${path}.${name}`)

const orderAnswer = Schema.Struct({ ...OrderResponse.fields, data: Schema.Record(Schema.String, Schema.Unknown) })

const transactionPromised = [
  ...["depositMemo", "depositAddressAndMemo", "recipient", "createdAtTimestamp", "intentHashes", "referral", "appFees"],
  ...["amountInFormatted", "amountInUsd", "amountOutFormatted", "amountOutUsd", "originChainTxHashes"],
  ...["destinationChainTxHashes", "refundTo", "senders", "refundFeeFormatted"],
  ...["depositType", "recipientType", "refundType"]
]

const terms = [
  ...["side", "baseAsset", "quoteAsset", "quantity", "price", "deadline", "swapView"],
  ...["depositAddress", "depositType", "recipient", "recipientType", "refundTo", "refundType"]
]

/** The venue may leave out an empty list, and the kind of the swap determines which amounts exist. */
const moneyOfOrder = (order: unknown): ReadonlyArray<string> => {
  const attributes = fieldOf(order, "attributes")
  const view = fieldOf(attributes, "swapView")
  const payouts = fieldOf(attributes, "payouts")
  const listed = fieldOf(payouts, "allWithdrawals")
  const hasLeg = isRecord(fieldOf(payouts, "withdrawal"))
  const hasPaid = Array.isArray(listed) && listed.length > 0
  const status = String(fieldOf(attributes, "fillStatus"))
  const hasFilled = ["FILLED", "PARTIALLY_FILLED"].includes(status) || hasPaid || hasLeg
  const swapType = fieldOf(view, "swapType")
  const isOfOutput = typeof swapType === "string" ? swapType === "EXACT_OUTPUT" : fieldOf(attributes, "side") === "BUY"
  return [
    "id",
    "attributes",
    ...under("attributes", [...terms, "fillStatus", "depositedAmount", "payouts"]),
    ...under("attributes.swapView", ["originAsset", "destinationAsset"]),
    ...under("attributes.swapView", isOfOutput ? ["maxAmountIn", "amountOut"] : ["amountIn", "minAmountOut"]),
    ...under("attributes", hasFilled ? ["partialFills"] : []),
    ...under("attributes.partialFills[]", ["id", "amountIn", "amountOut"]),
    // The venue lists a payment in both places. The list is read first.
    ...under("attributes.payouts", [
      hasLeg ? "allWithdrawals" : "allWithdrawals?",
      ...(hasPaid ? [] : ["withdrawal?"])
    ]),
    `attributes.payouts.${hasPaid ? "allWithdrawals[]" : "withdrawal"}.status`,
    "attributes.payouts.refund?",
    "attributes.payouts.refund.status"
  ]
}

export const kinds = {
  token: {
    of: "tokens",
    schema: WireToken,
    promised: ["price", "priceUpdatedAt"],
    money: always("assetId", "decimals"),
    isReadWhole: false
  },
  quote: {
    of: "quotes",
    schema: QuoteResponse,
    promised: [
      "correlationId",
      "timestamp",
      "signature",
      ...under("quote", ["amountInFormatted", "amountInUsd", "minAmountIn", "amountOutFormatted", "amountOutUsd"]),
      ...under("quote", ["minAmountOut", "timeEstimate"]),
      ...under("quoteRequest", ["dry", "swapType", "originAsset", "destinationAsset", "amount", "deadline"]),
      ...under("quoteRequest", ["depositType", "refundTo", "refundType", "recipient", "recipientType"])
    ],
    money: always("quote", "quoteRequest", "quote.amountIn", "quote.amountOut"),
    isReadWhole: true
  },
  orderPage: {
    of: "lists of orders",
    schema: OrderListReply,
    promised: ["links", "meta", ...under("meta", ["correlationId", "timestamp"])],
    money: always("data"),
    isReadWhole: true
  },
  orderAnswer: {
    of: "answers about one order",
    schema: orderAnswer,
    promised: ["meta", ...under("meta", ["correlationId", "timestamp"])],
    money: always("data"),
    isReadWhole: true
  },
  order: {
    of: "orders",
    schema: WireOrder,
    promised: [
      "type",
      "links",
      ...under("attributes", ["orderType", "payoutStatus", "isPayoutStatusFinal", "appFees", "createdAt"]),
      ...under("attributes", ["estimatedWithdrawFee", "estimatedRefundFee", "confidentiality", "timeInForce"]),
      ...under("attributes", ["depositMode", "depositedAmountFormatted"]),
      ...under("attributes", ["estimatedWithdrawFeeFormatted", "estimatedRefundFeeFormatted"]),
      "attributes.swapView.swapType",
      ...under("attributes.partialFills[]", ["createdAt", "updatedAt"]),
      ...under("attributes.payouts", ["withdrawal", "allWithdrawals", "refund"])
    ],
    money: moneyOfOrder,
    isReadWhole: true
  },
  status: {
    of: "the status of swaps",
    schema: SwapStatusResponse,
    promised: ["correlationId", "quoteResponse", "updatedAt", "swapDetails"],
    money: always("status"),
    isReadWhole: true
  },
  balances: {
    of: "balances",
    schema: BalancesResponse,
    promised: ["balances[].source"],
    money: always("balances", ...under("balances[]", ["tokenId", "available"])),
    isReadWhole: true
  },
  // Histories are witnesses, read line by line: odd fields in them are reported, and missing ones prove nothing.
  transaction: {
    of: "the history",
    schema: TransactionRecord,
    promised: transactionPromised,
    money: always(),
    isReadWhole: false
  },
  accountItem: {
    of: "the account's history",
    schema: AccountHistoryItem,
    promised: ["depositType", "recipientType", "depositMemo", "refundType"],
    money: always(),
    isReadWhole: false
  }
} as const satisfies Record<string, Kind>

const nameOf = (path: string): string => path.replace(/^attributes\./, "").replaceAll("[]", "")

/**
 * An unknown word or a new field does not stop funding, because the program accepts both. Any other fault stops it in a field that money
 * depends on, or if it makes an answer unreadable that is read whole.
 */
export const driftOf = (kind: Kind, answer: unknown): ReadonlyArray<Drift> => {
  const { isReadWhole, money, of } = kind
  const paths = money(answer)
  const needed = paths.filter((path) => !path.endsWith("?"))
  const readPaths = new Set(paths.map((path) => path.replace(/\?$/, "")))
  const closes = ({ isUnreadable, path, was }: ShapeDifference): boolean =>
    was !== absent &&
    !was.startsWith("one of ") &&
    (path === "" || readPaths.has(path) || (isReadWhole && isUnreadable))
  return differences(kind, needed, answer).map((each) => ({
    what: each.path === "" ? of : `field \`${nameOf(each.path)}\` of ${of}`,
    was: each.was,
    is: each.is,
    closesFunding: closes(each)
  }))
}

interface ShapeDifference {
  /** `attributes.partialFills[].id`; empty for the whole answer. */
  readonly path: string
  readonly was: string
  readonly is: string
  readonly isUnreadable: boolean
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

const differences = (
  { promised, schema }: Kind,
  needed: ReadonlyArray<string>,
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
    const expected = new Set(parts.map(kindOfPart))
    if (expected.has(undefined)) return
    const is = kindOf(value)
    if (!expected.has(is)) return note(path, expectedOf(ast), is, isLost)
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
