/**
 * One witness that is wrong while the others are right, between the venue and a bot: dry quotes that somebody tampered with,
 * prices that the venue itself says wrongly once or three times, fee estimates that rise once an order is paid, and fields of
 * orders that are left out. The books stay true.
 */
import * as Amount from "../../src/domain/Amount.ts"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { isTerminal } from "../../src/domain/Order.ts"
import type { Departure, HttpAnswer } from "../../src/rehearsal/world/Network.ts"
import * as SigningKey from "../../src/sandbox/core/money/SigningKey.ts"
import * as Seeded from "../../src/sandbox/Seeded.ts"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import * as QuoteSignature from "../../src/signing/QuoteSignature.ts"
import { assets } from "../world/bot/market.ts"
import type { Scene } from "./Hands.ts"
import type { Feature } from "./Plan.ts"

interface Fields {
  [name: string]: unknown
}

interface DryAnswer extends Fields {
  readonly quote: Fields
  readonly quoteRequest: Fields
}

interface OrderFields extends Fields {
  readonly fillStatus: string
  readonly depositedAmount: string
}

type Occasion = "start" | "gap" | "fill"

/** After so long without a question of a bot the next answers may be wrong. */
const gapMillis = 20_000
const windowMillis = 15_000
/** Each look at a market is two quotes. */
const quotesOfLook = 2

const quoteAsset = "USDC"

/** Says that one base is worth so many times what it is. */
const scaled = ({ quote, quoteRequest }: DryAnswer, factor: number): void => {
  const isBought = assets.some(({ id, symbol }) => symbol === quoteAsset && id === quoteRequest["originAsset"])
  const output = assets.find(({ id }) => id === quoteRequest["destinationAsset"])
  const share = BigInt(Math.round((isBought ? 1 / factor : factor) * 1e6))
  const amount = (BigInt(String(quote["amountOut"])) * share) / 1_000_000n
  Object.assign(quote, { amountOut: String(amount), minAmountOut: String(amount) })
  if (output !== undefined) quote["amountOutFormatted"] = Amount.format(amount, output.decimals)
}

/** What else is wrong with a quote that is a fifth off; the signature stays that of the true one. */
const tamperings: Readonly<Record<string, (answer: DryAnswer) => void>> = {
  "an invalid signature": () => undefined,
  "no signature": (answer) => {
    delete answer["signature"]
  },
  "another recipient": ({ quoteRequest }) => {
    quoteRequest["recipient"] = "thief.near"
  },
  "another amount": ({ quoteRequest }) => {
    quoteRequest["amount"] = "1"
  },
  "another asset": ({ quoteRequest }) => {
    quoteRequest["destinationAsset"] = "nep141:eth.omft.native"
  }
}

export const names: ReadonlyArray<string> = [
  ...Object.keys(tamperings).map((what) => `tampered quote: ${what}`),
  ...["start", "gap", "fill"].map((when) => `wrong price after a ${when}`),
  "estimate that rose after funding",
  "estimate that rose after the end",
  "absent fields"
]

const features: ReadonlyArray<Feature> = ["tamperedQuotes", "wrongPrices", "risingEstimates", "absentFields"]

export const make = ({ isCalm, note, now, plan: { has, seed } }: Scene) => {
  const dice = (...keys: ReadonlyArray<string | number>) => Seeded.fraction(seed, ...keys)
  /** How wrong the next quotes of a bot are. */
  const wrong = new Map<string, { readonly factor: number; quotes: number }>()
  const askedAt = new Map<string, number>()

  const occasion = (bot: string, when: Occasion): void => {
    if (!has.has("wrongPrices") || isCalm() || dice("wrong price", bot, when, now()) > 0.6) return
    const size = 0.02 + dice("how wrong", bot, now()) * 2.3
    const looks = dice("how often wrong", bot, now()) < 0.5 ? 1 : 3
    note(`wrong price after a ${when}`)
    wrong.set(bot, {
      factor: Math.exp(dice("which way", bot, now()) < 0.5 ? size : -size),
      quotes: looks * quotesOfLook
    })
  }

  const misprice = (bot: string, answer: DryAnswer): void => {
    const known = wrong.get(bot)
    if (known === undefined) return
    known.quotes -= 1
    if (known.quotes === 0) wrong.delete(bot)
    scaled(answer, known.factor)
    const bytes = QuoteSignature.signedBytes(answer) ?? new Uint8Array()
    answer["signature"] = Ed25519.format(SigningKey.sign(seed, "quotes", bytes))
  }

  const tamper = (bot: string, answer: DryAnswer): void => {
    const window = Math.floor(now() / windowMillis)
    if (!has.has("tamperedQuotes") || isCalm() || dice("tampered", bot, window) > 0.3) return
    const ways = Object.keys(tamperings)
    const way = ways[Math.floor(dice("how tampered", bot, window) * ways.length)] ?? "no signature"
    note(`tampered quote: ${way}`)
    scaled(answer, dice("which way", bot, window) < 0.5 ? 0.8 : 1.2)
    tamperings[way]?.(answer)
  }

  const rise = (orderId: string, order: OrderFields): void => {
    if (!has.has("risingEstimates") || order.depositedAmount === "0") return
    const when = dice("when it rises", orderId) < 0.5 ? "funding" : "the end"
    if (when === "the end" && !isTerminal(order.fillStatus)) return
    note(`estimate that rose after ${when}`)
    const more = dice("how much", orderId) < 0.5 ? "1234567" : "80000000000"
    Object.assign(order, { estimatedWithdrawFee: more, estimatedRefundFee: more })
  }

  /** Where a list of fills is left out for ever although there are some, money stays away for ever. */
  const omit = (orderId: string, order: OrderFields): void => {
    if (!has.has("absentFields") || dice("absent", orderId) > 0.6) return
    // A venue that leaves them out from the start gets no money.
    if (dice("since when", orderId) < 0.7 && !isTerminal(order.fillStatus)) return
    note("absent fields")
    const isNull = dice("null", orderId) < 0.5
    const hasFills = Array.isArray(order["partialFills"]) && order["partialFills"].length > 0
    const absent = hasFills && isCalm() ? ["createdAt"] : ["createdAt", "partialFills"]
    for (const name of absent) {
      if (isNull) order[name] = null
      else delete order[name]
    }
  }

  const ofQuote = (bot: string, answer: DryAnswer): void => {
    if (now() - (askedAt.get(bot) ?? now()) > gapMillis) occasion(bot, "gap")
    askedAt.set(bot, now())
    misprice(bot, answer)
    tamper(bot, answer)
  }

  /** The answer as this bot gets it. */
  const rewrite = (bot: string, { body, method, path }: Departure, { status, text }: HttpAnswer): HttpAnswer => {
    if (status >= 300) return { status, text }
    const answer = JSON.parse(text)
    if (method === "POST" && path === "/v0/quote" && JSON.parse(body).dry === true) ofQuote(bot, answer)
    else if (path.startsWith("/v0/orders")) {
      for (const order of [answer.data].flat()) {
        if (order === null) continue
        rise(order.id, order.attributes)
        omit(order.id, order.attributes)
      }
    } else return { status, text }
    return { status, text: JSON.stringify(answer) }
  }

  const recorded = (bot: string, { _tag }: BotEvent): void => {
    if (_tag === "BotStarted") occasion(bot, "start")
    if (_tag === "FillSeen") occasion(bot, "fill")
  }

  return { recorded, rewrite, isAny: features.some((feature) => has.has(feature)) }
}
