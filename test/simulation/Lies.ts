/**
 * A venue that lies: its answers are rewritten on the way to the bot, each order by at most one lie of the seed's choice, for
 * as long as it lives. The books stay true, so the oracle knows what really happened.
 */
import { isTerminal } from "../../src/domain/Order.ts"
import type { Departure, HttpAnswer } from "../../src/rehearsal/world/Network.ts"
import * as Seeded from "../../src/sandbox/Seeded.ts"
import type { Subject } from "./Oracle.ts"

interface Attributes {
  [name: string]: unknown
}

/** `reads`: how often this was said of the order before. */
type Change = (attributes: Attributes, reads: number) => void

const swapView = (attributes: Attributes): Attributes => attributes["swapView"] as Attributes
const text = (value: unknown): string => String(value)

/** Wrong from the start: an honest reading of the echo keeps money away from the order. */
export const echo = {
  "recipient of a thief": (order) => {
    order["recipient"] = "thief.near"
  },
  "refund to a thief": (order) => {
    order["refundTo"] = "thief.near"
  },
  "other deposit type": (order) => {
    order["depositType"] = "ORIGIN_CHAIN"
  },
  "more to deposit": (order) => {
    const view = swapView(order)
    for (const name of ["amountIn", "maxAmountIn"])
      if (view[name] !== undefined) view[name] = text(BigInt(text(view[name])) * 2n)
  },
  "less to receive": (order) => {
    const view = swapView(order)
    for (const name of ["minAmountOut", "amountOut"])
      if (view[name] !== undefined) view[name] = text(BigInt(text(view[name])) / 2n)
  },
  "assets the other way round": (order) => {
    const view = swapView(order)
    const { originAsset, destinationAsset } = view
    view["originAsset"] = destinationAsset
    view["destinationAsset"] = originAsset
  },
  "an app fee of a third": (order) => {
    order["appFees"] = [{ recipient: "thief.near", fee: 3333 }]
  },
  "a memo that no transfer can carry": (order) => {
    order["depositMemo"] = "12345"
    order["depositMode"] = "MEMO"
  }
} satisfies Record<string, Change>

const isObject = (value: unknown): value is Attributes =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fillsIn = ({ partialFills }: Attributes): ReadonlyArray<Attributes> =>
  Array.isArray(partialFills) ? partialFills.filter(isObject) : []

const isFunded = (order: Attributes): boolean => text(order["depositedAmount"] ?? "0") !== "0"

/** Odd or false later on. */
export const later = {
  "amounts as numbers": (order) => {
    order["depositedAmount"] = Number(order["depositedAmount"])
    order["quantity"] = Number(order["quantity"])
  },
  "a status nobody knows": (order) => {
    if (isFunded(order)) order["fillStatus"] = "HELD_FOR_REVIEW"
  },
  "fields that are missing": (order) => {
    delete order["partialFills"]
    delete order["payouts"]
    delete order["depositedAmount"]
  },
  "a deposit that never shows": (order) => {
    order["depositedAmount"] = "0"
    order["fillStatus"] = "AWAITING_DEPOSIT"
    order["partialFills"] = []
    order["payouts"] = { withdrawal: null, allWithdrawals: [], refund: null }
    order["isPayoutStatusFinal"] = false
    order["payoutStatus"] = "NOT_STARTED"
  },
  "ended without the deposit it has": (order) => {
    if (!isFunded(order)) return
    order["depositedAmount"] = "0"
    order["fillStatus"] = "EXPIRED"
    order["partialFills"] = []
    order["payouts"] = { withdrawal: null, allWithdrawals: [], refund: null }
  },
  "fills twice in one report": (order) => {
    const fills = order["partialFills"]
    if (Array.isArray(fills)) order["partialFills"] = [...fills, ...fills]
  },
  "fills beyond the deposit": (order) => {
    const fills = order["partialFills"]
    const first: unknown = Array.isArray(fills) ? fills[0] : undefined
    if (typeof first !== "object" || first === null) return
    order["partialFills"] = [{ ...first, amountIn: text(BigInt(text(order["depositedAmount"])) * 3n) }]
  },
  "fills that vanish": (order) => {
    if (order["fillStatus"] === "PARTIALLY_FILLED" || order["fillStatus"] === "FILLED") order["partialFills"] = []
  },
  "more deposited than was sent": (order) => {
    if (isFunded(order)) order["depositedAmount"] = text(BigInt(text(order["depositedAmount"])) * 2n)
  },
  "payouts that never end": (order) => {
    order["payouts"] = { withdrawal: { status: "IN_PROGRESS" }, allWithdrawals: [], refund: { status: "IN_PROGRESS" } }
    order["isPayoutStatusFinal"] = false
  },
  // Lawful, and so is any other id, as long as the amounts are those of the same fill.
  "fills that grow": (order) => {
    const isOver = isTerminal(text(order["fillStatus"]))
    const fills = fillsIn(order)
    order["partialFills"] = fills.map((fill, index) => {
      const at = Date.parse(text(fill["createdAt"]))
      if (isOver || index < fills.length - 1) return { ...fill, updatedAt: new Date(at + 1_000).toISOString() }
      const half = (name: string) => text(BigInt(text(fill[name])) / 2n)
      return { ...fill, amountIn: half("amountIn"), amountOut: half("amountOut") }
    })
  },
  "fills under other ids each time": (order, reads) => {
    order["partialFills"] = fillsIn(order).map((fill) => ({ ...fill, id: `${text(fill["id"])}-${reads}` }))
  },
  "fills that grow and were never updated": (order) => {
    if (isTerminal(text(order["fillStatus"]))) return
    const half = (amount: unknown) => text(BigInt(text(amount)) / 2n)
    order["partialFills"] = fillsIn(order).map((fill) => ({
      ...fill,
      amountIn: half(fill["amountIn"]),
      amountOut: half(fill["amountOut"])
    }))
  },
  "over and refunded for a while, and alive again": (order, reads) => {
    const isOpen = order["fillStatus"] === "OPEN" || order["fillStatus"] === "PARTIALLY_FILLED"
    if (!isOpen || reads > 40) return
    order["fillStatus"] = "CANCELED"
    order["payouts"] = { withdrawal: null, allWithdrawals: [], refund: { status: "COMPLETED", txHash: "1".repeat(44) } }
    order["isPayoutStatusFinal"] = true
    order["payoutStatus"] = "COMPLETED"
  },
  "a withdrawal listed ten times": (order) => {
    const { payouts } = order
    if (isObject(payouts) && payouts["withdrawal"] !== null)
      order["payouts"] = { ...payouts, allWithdrawals: Array.from({ length: 10 }, () => payouts["withdrawal"]) }
  },
  "alive again after its end": (order) => {
    if (order["fillStatus"] === "CANCELED") order["fillStatus"] = "OPEN"
  }
} satisfies Record<string, Change>

/** What is asked to be signed, or answered to what was signed. */
export const payloads = {
  "a transfer to a thief": (message: Message) => {
    for (const intent of message.intents) intent["receiver_id"] = "thief.near"
  },
  "ten times the amount": (message: Message) => {
    for (const intent of message.intents) {
      const tokens = intent["tokens"] as Attributes
      for (const token of Object.keys(tokens)) tokens[token] = text(BigInt(text(tokens[token])) * 10n)
    }
  },
  "a second transfer": (message: Message) => {
    const [first] = message.intents
    if (first !== undefined) message.intents.push({ ...first, receiver_id: "thief.near" })
  },
  "a key for a thief": (message: Message) => {
    message.intents.push({ intent: "add_public_key", public_key: "ed25519:thief" })
  },
  "another signer": (message: Message) => {
    message["signer_id"] = "thief.near"
  },
  "valid for years": (message: Message) => {
    message["deadline"] = "2036-01-01T00:00:00.000Z"
  },
  "another token": (message: Message) => {
    for (const intent of message.intents) intent["tokens"] = { "nep141:eth.omft.native": "1000" }
  }
}

/** What no bot may believe, and must tell somebody of; the other lies are odd, old or silent. */
const alarming: ReadonlySet<string> = new Set([
  ...Object.keys(echo),
  ...Object.keys(payloads),
  "an address that moves",
  "fills beyond the deposit",
  "more deposited than was sent"
])

export const lieNames: ReadonlyArray<string> = [
  ...[echo, later, payloads].flatMap((lies) => Object.keys(lies)),
  "an address that moves",
  "a list with null in it",
  "a false answer to signed bytes"
]

/** A lie as it leaves the venue; `about` where the bot must tell somebody of it. */
export interface Told {
  readonly lie: string
  readonly about?: Subject
}

export interface Message extends Attributes {
  intents: Array<Attributes>
}

const choose = <T>(among: ReadonlyArray<T>, fraction: number): T | undefined =>
  among[Math.floor(fraction * among.length)]

/** Not a lie: a venue that keeps deadlines to the second. */
const dropMillis = (attributes: Attributes): void => {
  attributes["deadline"] = text(attributes["deadline"]).replace(/\.\d+Z$/, ".000Z")
}

/** `share` of the orders and of the payloads are lied about. */
export const make = (seed: number, share: number, dropsMillis: boolean) => {
  const kindOf = (orderId: string): "echo" | "later" | "address" | undefined => {
    const dice = Seeded.fraction(seed, "lie", orderId)
    if (dice >= share) return undefined
    const which = Seeded.fraction(seed, "kind of lie", orderId)
    return which < 0.25 ? "echo" : which < 0.35 ? "address" : "later"
  }
  const numberOf = (orderId: string) => Seeded.fraction(seed, "which lie", orderId)

  const reads = new Map<string, number>()

  /** Changes what is said about an order, and returns the lie. */
  const tell = (orderId: string, attributes: Attributes, isCreate: boolean): string | undefined => {
    const kind = kindOf(orderId)
    if (kind === undefined) return undefined
    if (kind === "address") {
      if (isCreate) return undefined
      attributes["depositAddress"] = `thief-${orderId}`
      return "an address that moves"
    }
    const lies: Record<string, Change> = kind === "echo" ? echo : later
    if (kind === "later" && isCreate) return undefined
    const name = choose(Object.keys(lies), numberOf(orderId))
    if (name === undefined) return undefined
    const truth = JSON.stringify(attributes)
    const before = reads.get(orderId) ?? 0
    reads.set(orderId, before + 1)
    lies[name]?.(attributes, before)
    return JSON.stringify(attributes) === truth ? undefined : name
  }

  /** `told` hears of each lie that is answered. */
  const rewrite = (
    { body: asked, method, path }: Departure,
    { status, text: body }: HttpAnswer,
    told: (told: Told) => void
  ): HttpAnswer | undefined => {
    const tells = (lie: string, about: Subject) => told(alarming.has(lie) ? { lie, about } : { lie })
    // Who lies about signed bytes says the same of them every time.
    if (status >= 300 && path !== "/v0/submit-intent") return undefined
    if (path.startsWith("/v0/orders")) {
      const answer: { data: unknown } = JSON.parse(body)
      const isCreate = method === "POST" && path === "/v0/orders"
      const orders: ReadonlyArray<unknown> = Array.isArray(answer.data) ? answer.data : [answer.data]
      for (const order of orders) {
        if (!isObject(order)) continue
        const { attributes } = order
        if (!isObject(attributes)) continue
        if (dropsMillis) dropMillis(attributes)
        const orderId = text(order["id"])
        const lie = tell(orderId, attributes, isCreate)
        if (lie === undefined) continue
        // The bot says that a report without its fills is unusable, and believes nothing of it.
        if (!isCreate && !Array.isArray(attributes["partialFills"])) told({ lie })
        else if (isCreate) tells(lie, { deadline: Date.parse(JSON.parse(asked).data.attributes.deadline) })
        else tells(lie, { orderId, ...(kindOf(orderId) === "address" ? { shows: `thief-${orderId}` } : {}) })
      }
      if (Array.isArray(answer.data) && Seeded.fraction(seed, "odd list", path, body.length) < share / 2) {
        answer.data.unshift(null)
        told({ lie: "a list with null in it" })
      }
      return { status, text: JSON.stringify(answer) }
    }
    if (path === "/v0/generate-intent" && Seeded.fraction(seed, "payload", body) < share) {
      const answer = JSON.parse(body)
      const message: Message = JSON.parse(answer.intent.payload.message)
      const name = choose(Object.keys(payloads), Seeded.fraction(seed, "which payload", body))
      const lies: Record<string, (message: Message) => void> = payloads
      if (name === undefined) return undefined
      lies[name]?.(message)
      answer.intent.payload.message = JSON.stringify(message)
      tells(name, { depositAddress: text(JSON.parse(asked).depositAddress) })
      return { status, text: JSON.stringify(answer) }
    }
    if (path === "/v0/submit-intent" && Seeded.fraction(seed, "submit", body) < share) {
      const which = Seeded.fraction(seed, "which submit", body)
      told({ lie: "a false answer to signed bytes" })
      if (which < 0.3) return { status: 400, text: JSON.stringify({ message: "deadline has expired" }) }
      if (which < 0.6) return { status: 400, text: JSON.stringify({ message: "nonce was already used" }) }
      if (status >= 300) return undefined
      return { status, text: JSON.stringify({ ...JSON.parse(body), intentHash: "1".repeat(44) }) }
    }
    return undefined
  }

  return {
    rewrite,
    isUnfit: (orderId: string) => kindOf(orderId) === "echo" || kindOf(orderId) === "address",
    isLiedAbout: (orderId: string) => kindOf(orderId) !== undefined
  }
}
