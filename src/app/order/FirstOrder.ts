/**
 * Runs `limitbot first-order`: places a small order far from the market and cancels it once it is open. It reports the cost, and every
 * difference from what the service announced. A repeated command continues an order that is not cancelled.
 */
import { Console, Effect, Result, Stream } from "effect"
import { type Asset, floorOf, format, formatWithSymbol } from "../../domain/Amount.ts"
import type { Of, PlacementEvent } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Drift from "../../domain/Drift.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { baseQuantity, inputAmount, inputAsset, toTick } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import { age } from "../../domain/Text.ts"
import { unfinished } from "../../engine/state/BotState.ts"
import * as ByHand from "../../files/ByHand.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Layers from "../../Layers.ts"
import * as Evidence from "../../ledger/Evidence.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { Canary } from "../../venue/canary/Canary.ts"
import { heldIn, Venue } from "../../venue/Venue.ts"
import { marketNamed } from "../byHand/OrderRule.ts"
import { commandFailed } from "../CommandFailed.ts"
import * as Doctor from "../control/Doctor.ts"
import * as OrderServices from "../control/OrderServices.ts"
import * as ServiceCheck from "../control/ServiceCheck.ts"
import { stateOf } from "../journal/JournalView.ts"
import { ok, warn, wrong } from "../start/FileChecks.ts"
import { someoneAgrees } from "../swap/Carrying.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import * as Ordering from "./Ordering.ts"

const notPlaced = (why: string) => commandFailed(`Cannot place a first order: ${why}`)

export const usualUsd = 2
const margin = 1.1
const away = { buy: 0.5, sell: 2 } as const
const priceDigits = 5

/** Chooses the smallest order that the venue accepts and the account can pay, at a price that fills only in a crash. */
const chosen = Effect.fn("FirstOrder.chosen")(function* (config: BotConfig, name: string, usd?: number) {
  const { account, venue } = config
  const { facts, minOrderUsd } = venue
  const market = marketNamed(name, config)
  if (typeof market === "string") return yield* wrongUsage(`MARKET: there is no ${name}; ${market}`)
  const least = minOrderUsd === undefined ? Math.max(usualUsd, facts.orders.minUsd ?? 0) : Decimal.toNumber(minOrderUsd)
  const tokens = yield* Venue.use((service) => service.tokens)
  const usdOf = ({ id, symbol }: Asset): number =>
    tokens.find(({ assetId }) => assetId === id)?.priceUsd ?? (facts.fees.stable.includes(symbol) ? 1 : 0)
  const [base, quote] = [usdOf(market.base), usdOf(market.quote)]
  if (base <= 0 || quote <= 0)
    return yield* notPlaced(`the venue has no price of ${name} in USD; limitbot order places any order`)
  const homes = new Map(config.markets.assets.map((asset) => [asset.id, depositTypeOf(account, asset)]))
  const balances = yield* Effect.mapError(heldIn(homes), ({ message }) =>
    notPlaced(`login: the balances cannot be read: ${message}`)
  )
  const shortages: Array<string> = []
  for (const side of ["buy", "sell"] as const) {
    const direction = side === "buy" ? "BUY" : "SELL"
    const asset = inputAsset(market, direction)
    const price = toTick(market, direction, Decimal.fromNumber((base / quote) * away[side], priceDigits))
    const input = Decimal.fromNumber(((usd ?? least) * margin) / (side === "buy" ? quote : base), 15)
    const units = floorOf(input, asset.decimals)
    const quantity = side === "sell" ? units : baseQuantity(market, units, price, "up")
    const pays = inputAmount(market, direction, quantity, price)
    const isPrivate = depositTypeOf(account, asset) === "CONFIDENTIAL_INTENTS"
    const available = balances.get(asset.id) ?? (isPrivate ? 0n : undefined)
    const [amount, written] = [format(quantity, market.base.decimals), Decimal.format(price)]
    if (available === undefined || available >= pays) return { side, market: name, amount, price: written }
    shortages.push(
      `it needs ${formatWithSymbol(pays, asset)} in the ${isPrivate ? "confidential" : "public"} account, which has ${formatWithSymbol(available, asset)}${isPrivate && facts.movesBetweenAccounts ? " (limitbot swap --to confidential brings money there)" : ""}`
    )
  }
  return yield* notPlaced(shortages.join("; or "))
})

const patienceMillis = 10 * minuteMillis

const witnessed = <A, E>(config: BotConfig, ask: Effect.Effect<A, E, Canary | Venue>) =>
  Effect.flatMap(VenueAccess.signerOf(config), (signerId) => Effect.provide(ask, VenueAccess.venue(config, signerId)))

const serviceFinding = Effect.fnUntraced(function* (config: BotConfig) {
  const compared = yield* Effect.result(witnessed(config, ServiceCheck.look(config)))
  if (Result.isFailure(compared)) return warn("service", compared.failure.message, "limitbot check --service")
  const { checked, drift } = compared.success
  const closing = Drift.closing(drift)
  if (closing !== undefined) return wrong("service", closing, "a newer limitbot; see: limitbot check --service")
  return ok("service", `no money depends on a change; compared: ${checked.join(", ") || "nothing"}`)
})

const checked = Effect.fnUntraced(function* (file: string, config: BotConfig, isQuiet: boolean) {
  const findings = [...(yield* Doctor.findingsOf(file)), yield* serviceFinding(config)]
  if (!isQuiet) yield* Console.log(`${findings.map(Doctor.asText).join("\n")}\n`)
  const mistakes = findings.flatMap(({ check, text, verdict }) => (verdict === "wrong" ? [`${check}: ${text}`] : []))
  if (mistakes.length > 0) return yield* commandFailed(`Nothing was placed; fix this first: ${mistakes.join("; ")}`)
})

const presentKey = Effect.fnUntraced(function* (config: BotConfig) {
  const texts = yield* Effect.forEach(yield* ByHand.filesOf(config.journal), ByHand.textOf)
  const removed = texts.flatMap((text) => [...ByHand.cancelledIn(text), ...ByHand.endedIn(text)])
  const state = yield* stateOf(config.journal)
  const live = unfinished(state).map(({ slot }) => slot)
  const listed = yield* OrderServices.listed(config, state)
  for (let number = 1; ; number++) {
    const key = `first-order ${number}`
    const isOwn = (order: string) => order.endsWith(`-${ByHand.hashOf(key)}`)
    const standing = listed.find(({ order }) => isOwn(order))
    const isCancelled = removed.some(isOwn)
    const order = live.find(isOwn) ?? standing?.order
    if (standing?.hasEnded || (isCancelled && order === undefined)) continue
    return { key, order, isCancelled }
  }
})

type Told<T extends PlacementEvent["_tag"]> = Of<T> & PlacementEvent
const all = <T extends PlacementEvent["_tag"]>(events: ReadonlyArray<PlacementEvent>, tag: T): ReadonlyArray<Told<T>> =>
  events.filter((event): event is Told<T> => event._tag === tag)

const outcomes = { Settled: "settled", Abandoned: "not paid", FundingDead: "not paid" } as const
const isEnd = (tag: string): tag is keyof typeof outcomes => tag in outcomes

const reportOn = Effect.fnUntraced(function* (config: BotConfig, order: string) {
  const recorded = yield* Journal.use(({ events }) => Stream.runCollect(events())).pipe(
    Effect.provide(Layers.readOnlyJournal(config.journal))
  )
  const last = recorded.findLast(({ event }) => event._tag === "Planned" && event.slot === order)?.event
  const fold = Evidence.make(last !== undefined && "placement" in last ? last.placement : "")
  for (const each of recorded) fold.see(each)
  const moments = fold.result()[0]?.moments ?? []
  const events = moments.map(({ event }) => event)
  const booked = Evidence.standing(events)
  const end = booked.map(({ _tag }) => _tag).findLast(isEnd)
  const [planned] = all(events, "Planned")
  const outcome = planned === undefined ? "not paid" : end === undefined ? "open" : outcomes[end]
  const about = { order, placement: planned?.placement ?? null, outcome } as const
  const market = Layers.marketsByName(config.markets).get(planned?.market ?? "")
  const findings = Evidence.findings(moments).map((finding) => finding.text)
  if (planned === undefined || market === undefined || outcome !== "settled")
    return { ...about, cost: null, millis: {}, differences: findings }
  const text = (amount: bigint) => formatWithSymbol(amount, inputAsset(market, planned.side))
  const estimate = all(events, "FeesEstimated").at(-1) ?? all(events, "Bound").at(-1)
  const expectedFee = estimate?.estimatedRefundFee ?? 0n
  const refunds = all(booked, "Refunded")
  const sum = (key: "amount" | "fee") => refunds.reduce((total, refund) => total + refund[key], 0n)
  const compared = (what: string, expected: string, actual: string) =>
    expected === actual ? [] : [`${what}: expected ${expected}, found ${actual}`]
  const { orderId = "" } = all(events, "Bound").at(-1) ?? {}
  const drift = yield* Effect.result(
    witnessed(
      config,
      Canary.use((canary) => canary.order(orderId))
    )
  )
  const since = (from: PlacementEvent["_tag"], to: PlacementEvent["_tag"]) => {
    const [start, end] = [from, to].map((tag) => moments.find(({ event }) => event._tag === tag)?.at)
    return start === undefined || end === undefined ? null : end - start
  }
  return {
    ...about,
    cost: text(sum("fee")),
    millis: {
      toRest: since("Planned", "DepositSeen"),
      toCancel: since("CancelSent", "Closed"),
      toRefund: since("Closed", "Refunded")
    },
    differences: [
      ...compared("deposited", text(planned.inputAmount), text(all(events, "DepositSeen").at(-1)?.total ?? 0n)),
      ...compared("status at the end", "CANCELED", all(booked, "Closed").at(-1)?.status ?? "not over"),
      ...compared("fills", "0", String(all(booked, "FillSeen").length)),
      ...compared("refund fee", text(expectedFee), text(sum("fee"))),
      ...compared("refunded", text(planned.inputAmount - expectedFee), text(sum("amount"))),
      ...findings,
      ...(Result.isFailure(drift) ? [] : [Drift.closing(drift.success) ?? []].flat())
    ]
  }
})

const linesOf = ({
  cost,
  differences,
  millis,
  order,
  outcome,
  placement
}: Effect.Success<ReturnType<typeof reportOn>>) => [
  `First order ${order}: ${outcome}`,
  ...(cost === null ? [] : [`  cost         ${cost}`]),
  ...Object.entries(millis).flatMap(([step, time]) => (time === null ? [] : [`  ${step.padEnd(11)}  ${age(time)}`])),
  ...differences.map((each) => `  DIFFERENCE   ${each}`),
  ...(outcome === "settled" && differences.length === 0 ? ["  differences  none: everything was as expected"] : []),
  ...(placement === null ? [] : [`  evidence     limitbot orders ${placement} --out FILE`])
]

interface Asked {
  readonly market: string | undefined
  readonly usd: number | undefined
  readonly confirm: string | undefined
  readonly yes: boolean
  readonly dry: boolean
  readonly config: string
  readonly json: boolean
}

export const place = Effect.fn("FirstOrder.place")(function* (given: Asked) {
  const { config: file, confirm, dry, json, yes, ...asked } = given
  if (confirm !== undefined && confirm !== "place") return yield* wrongUsage('--confirm: the word is "place"')
  const options = yield* Ordering.optionsOf({ config: file, json, yes: yes || confirm !== undefined, patienceMillis })
  const { config } = options
  if (!dry) yield* someoneAgrees(options)
  const { isCancelled, key, order: begun } = yield* presentKey(config)
  let order = begun
  if (begun === undefined || dry) {
    yield* checked(file, config, json)
    const [first = ""] = config.markets.assets.map(({ symbol }) => symbol)
    const market = asked.market ?? first
    const small = chosen(config, market, asked.usd)
    const account = yield* Layers.accountOf(config)
    const request = yield* Effect.provide(small, Layers.looking(config, account))
    if (!json) yield* Console.log("Far from the market, so nobody fills it. It is cancelled as soon as it is open.")
    const placing: Parameters<typeof Ordering.carry>[0] = (client, isDry) =>
      client.place({ ...request, dry: isDry }, key)
    order = (yield* Ordering.carry(placing, options, dry, { key, reached: Ordering.isShown }))?.order
  } else yield* Ordering.again(begun, options, isCancelled ? Ordering.isGone : Ordering.isShown)
  if (order === undefined || dry) return
  if (!isCancelled) yield* Ordering.cancel(order, options)
  const report = yield* reportOn(config, order)
  yield* Console.log(json ? JSON.stringify(report) : `\n${linesOf(report).join("\n")}`)
  if (report.outcome === "settled") return
  const message =
    report.outcome === "open"
      ? `The first order ${order} has not ended. Run limitbot first-order again: it continues with the same order and pays nothing more. limitbot orders --stuck shows its money`
      : `The first order ${order} was not paid, and nothing moved. If the venue needs a larger one: --usd`
  return yield* commandFailed(message)
})
