/**
 * Serves orders by hand. An order is one rule in a strategy file and a command is an edit of it, so plan, limits, pause and kill switch
 * apply unchanged. The id follows from the caller's key, so a repeated request never places a second order.
 */
import { Clock, Effect, FileSystem, Result, Semaphore } from "effect"
import { type Refused, refuse } from "../../control/api/ControlApi.ts"
import type { OrderAnswer, OrderChange, OrderRequest, OrderStanding } from "../../control/api/Order.ts"
import type { Bot, OrderServices } from "../../control/Bot.ts"
import { bySymbol, min } from "../../domain/Amount.ts"
import { inputAsset, type Market } from "../../domain/Market.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as ByHand from "../../files/ByHand.ts"
import type { BotConfig, BotSettings } from "../../files/ConfigFile.ts"
import * as WholeFile from "../../journal/WholeFile.ts"
import * as Layers from "../../Layers.ts"
import { endedByExit } from "../../strategy/kinds/rules/rules.ts"
import { type Problem, render, suggestion } from "../../strategy/Problem.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import { type PlanFacts, refusedIn } from "../../views/Plan.ts"
import { slotsOf } from "../../views/Slots.ts"
import * as OrderBudget from "../byHand/OrderBudget.ts"
import * as OrderRule from "../byHand/OrderRule.ts"
import * as Planning from "../plan/Planning.ts"

interface Options {
  readonly config: BotConfig
  readonly running: () => ReadonlyArray<Strategy>
  readonly state: Effect.Effect<BotState, Refused>
  readonly plan: (strategies: ReadonlyArray<Strategy>) => Effect.Effect<PlanFacts, Refused>
  readonly reload: Bot["Service"]["reload"]
  readonly leaving: Bot["Service"]["leaving"]
}

interface Place {
  readonly market: Market
  readonly file: string
  readonly text: string
}

/** The newest orders that have ended stay in the file, for lists and repeated requests. */
const mostEnded = 10

const reserve = "0.1 % more than an order pays stays free for refund fees."

const stopping = "the bot is stopping and would not follow the order. Repeat the command later"

const refused = (message: string) => Effect.fail(refuse(message))

/** Writes a file of orders by hand, or removes it if it has no text. Fails if it is no longer as before. */
export const rewrite = Effect.fn("OrderServices.rewrite")(function* (file: string, before: string, text: string) {
  const fileSystem = yield* FileSystem.FileSystem
  if ((yield* ByHand.textOf(file)) !== before) return yield* refused(`${file} has changed since: try again`)
  if (text === "") yield* fileSystem.remove(file, { force: true })
  else yield* WholeFile.writeAtomically(file, text)
})

type Files = ReturnType<typeof filesOf>

const filesOf = ({ journal, markets }: BotConfig, fileSystem: FileSystem.FileSystem) => {
  const withFiles = Effect.provideService(FileSystem.FileSystem, fileSystem)
  const byName = Layers.marketsByName(markets)
  const placeOf = (market: Market) => {
    const file = ByHand.fileOf(journal, market)
    return Effect.map(withFiles(ByHand.textOf(file)), (text): Place => ({ market, file, text }))
  }
  const places = Effect.forEach([...byName.values()], placeOf)
  const write = ({ file, text: before }: Place, text: string) =>
    rewrite(file, before, text).pipe(withFiles, Effect.mapError(refuse))
  const parsed = ({ file }: Place, text: string, id?: string) => {
    // The user has written terms of the order `id`, and no line of a file.
    const isOwn = ({ line }: Problem) => id !== undefined && text.split("\n")[line - 1]?.includes(`${id}:`)
    const faultOf = (it: Problem) => (isOwn(it) ? [it.message, it.hint ?? []].flat().join("; ") : render(it, text))
    return Result.match(StrategyFile.parse(text, file, markets), {
      // A limit order that fills at once is probably a mistyped price.
      onSuccess: (strategy) =>
        Effect.succeed<Strategy>({ ...ByHand.withLargestOrder(strategy), restsAtWrittenPrices: true }),
      onFailure: (problems) => refused(problems.map(faultOf).join("\n"))
    })
  }
  const ordered = Effect.fnUntraced(function* (id: string) {
    const all = yield* places
    for (const own of all) {
      const rule = ByHand.ordersIn(own.text).get(id)
      const terms = rule === undefined ? undefined : OrderRule.termsIn(own.market, rule)
      if (rule !== undefined && terms !== undefined)
        return { own, rule, terms, strategy: ByHand.strategyOf(own.market) }
    }
    if (all.some(({ text }) => ByHand.cancelledIn(text).includes(id)))
      return yield* refused(`${id} is cancelled already. limitbot orders shows it until its money is back`)
    if (all.some(({ text }) => ByHand.endedIn(text).includes(id)))
      return yield* refused(`${id} has ended: nothing of it is open`)
    const ids = all.flatMap(({ text }) => [...ByHand.ordersIn(text).keys()])
    const hint = ids.length === 0 ? "there are none" : suggestion(id, ids)
    return yield* refused(`There is no order ${id} by hand; ${hint}`)
  })
  return { ordered, parsed, placeOf, places, withFiles, write } as const
}

interface Written extends Place {
  readonly id: string
  readonly rule: string
}

const answerOf = ({ file, id, market, rule }: Written, message: string): OrderAnswer => {
  const [first] = OrderRule.slotsOf(id, OrderRule.termsIn(market, rule))
  const slot = slotKey(ByHand.strategyOf(market), first?.slot ?? id)
  return { message, order: id, slot, file, amount: OrderRule.wholeOf(market, rule), terms: [] }
}

const drafting = (files: Files, { config, plan, running, state }: Options) =>
  Effect.fnUntraced(function* (own: Written) {
    const present = yield* state
    const written = ByHand.ordersIn(own.text)
    const isOver = (id: string) => OrderBudget.isOver(present, ByHand.strategyOf(own.market), id)
    const ended = [...written.keys()].filter(isOver).slice(0, -mostEnded)
    const orders = new Map([...written].filter(([id]) => !ended.includes(id))).set(own.id, own.rule)
    const budget = OrderBudget.budgetWith(present, own.market, orders)
    const text = ByHand.edited(own.text, own.market, { orders, budget, ended })
    const strategy = yield* files.parsed(own, text, own.id)
    if (strategy.endsAt !== undefined && strategy.endsAt <= (yield* Clock.currentTimeMillis))
      return yield* refused(`Not placed: ${own.file} was closed. Remove until and onEnd from it, then place orders`)
    const others = running().filter(({ name }) => name !== strategy.name)
    const facts = Planning.onlyOf(yield* plan([...others, strategy]), strategy.name)
    const findings = refusedIn(facts)
    const lines = Planning.plainLines(facts, bySymbol(config.markets.assets), findings)
    // The order in words stands last, next to the question if the user agrees.
    const terms = [...lines, `${own.id}: ${OrderRule.sentenceOf(own.market, own.rule)}`]
    return { text, findings, killed: facts.killed, uncommitted: facts.uncommitted, terms }
  })

type Draft = Effect.Success<ReturnType<ReturnType<typeof drafting>>>

const writing = (files: Files, { leaving, reload }: Options) =>
  Effect.fnUntraced(function* (own: Written, { findings, killed, terms, text }: Draft, isDry = false) {
    if (isDry) return { ...answerOf(own, "Nothing was written: only a plan"), terms }
    if (killed !== undefined)
      return yield* refused(`Not placed: the kill switch is on (${killed}). limitbot kill --off releases it`)
    if (leaving() !== undefined) return yield* refused(`Not placed: ${stopping}`)
    if (findings.length > 0) return yield* refused(`Not placed: ${findings.join(", ")}.\n${terms.join("\n")}`)
    yield* files.write(own, text)
    const { note, objection } = yield* reload(own.file)
    // A bot that stops meanwhile begins no turn for the order.
    const why = leaving() === undefined ? objection : stopping
    const commands = `To see it: limitbot order list. To cancel it: limitbot order cancel ${own.id}${note}`
    if (why === "") return { ...answerOf(own, `${terms.at(-1)}. ${commands}`), terms }
    // A refused edit is undone: applied later, it would place an order that nobody expects. The caller may disconnect before the verdict.
    yield* files.write({ ...own, text }, own.text)
    yield* reload()
    return yield* refused(`Not placed: ${why}`)
  }, Effect.uninterruptible)

/** Finds the order of an earlier request with this key. Fails if that request had other terms or its order is cancelled. */
const earlierOf = Effect.fnUntraced(function* (
  places: ReadonlyArray<Place>,
  market: Market,
  id: string,
  request: OrderRequest
) {
  const hash = id.slice(id.indexOf("-"))
  for (const place of places) {
    if (ByHand.cancelledIn(place.text).some((each) => each.endsWith(hash)))
      return yield* refused(`The order of this key (${id}) is cancelled. Nothing was placed; use another key`)
    if (ByHand.endedIn(place.text).some((each) => each.endsWith(hash)))
      return yield* refused(`The order of this key (${id}) has ended. Nothing was placed; use another key`)
    const [earlierId, rule] = [...ByHand.ordersIn(place.text)].find(([each]) => each.endsWith(hash)) ?? []
    if (earlierId === undefined || rule === undefined) continue
    const amount = request.amount === "all" ? OrderRule.wholeOf(place.market, rule) : request.amount
    const isEqual = Object.values(OrderRule.ruleOf({ ...request, amount }, market)).includes(rule)
    if (earlierId === id && isEqual && place.market.name === market.name) return { ...place, id, rule }
    const other = `${earlierId}: ${OrderRule.sentenceOf(place.market, rule)}`
    return yield* refused(`This key has placed another order (${other}). Nothing was placed; use another key`)
  }
  return undefined
})

export const make = Effect.fn("OrderServices.make")(function* (options: Options) {
  const { config, reload, running, state } = options
  const files = filesOf(config, yield* FileSystem.FileSystem)
  const { ordered, parsed, placeOf, places, withFiles, write } = files
  const [draftOf, writeDown] = [drafting(files, options), writing(files, options)]
  const turn = yield* Semaphore.make(1)

  const place = Effect.fnUntraced(function* (request: OrderRequest, key: string) {
    const market = OrderRule.marketNamed(request.market, config)
    if (typeof market === "string") return yield* refused(`market ${request.market}: not configured; ${market}`)
    const id = `${request.side}-${ByHand.hashOf(key)}`
    const earlier = yield* earlierOf(yield* places, market, id, request)
    if (earlier !== undefined) return answerOf(earlier, `${id} was placed before; nothing was placed again`)
    const own = yield* placeOf(market)
    const writtenOf = (amount: string) => {
      const terms = OrderRule.ruleOf({ ...request, amount }, market)
      return "why" in terms ? refused(terms.why) : Effect.succeed<Written>({ ...own, id, rule: terms.rule })
    }
    const isAll = request.amount === "all"
    const least = OrderBudget.beyondFree(yield* state, market, request)
    const written = yield* writtenOf(isAll ? least : request.amount)
    const draft = yield* draftOf(written)
    const spare = draft.uncommitted.get(inputAsset(market, OrderRule.sideOf(request)).symbol)
    if (isAll && spare === undefined)
      return yield* refused("all: the account's balance cannot be read; write an amount")
    if (spare === undefined || (!isAll && (spare >= 0n || !draft.findings.includes("over-commit"))))
      return yield* writeDown(written, draft, request.dry)
    const largest = OrderBudget.largestBy(market, request, OrderRule.wholeOf(market, written.rule), spare)
    if (!isAll) {
      const most = largest === undefined ? "nothing is free" : `the largest order that fits is ${largest}, or: all`
      const terms = [...draft.terms, `${request.amount} ${market.base.symbol} is too much: ${most}. ${reserve}`]
      return yield* writeDown(written, { ...draft, terms }, request.dry)
    }
    if (largest === undefined) return yield* refused("all: nothing is free")
    const whole = yield* writtenOf(largest)
    return yield* writeDown(whole, yield* draftOf(whole), request.dry)
  }, turn.withPermit)

  const change = Effect.fnUntraced(function* ({ dry, order, price }: OrderChange) {
    const { own, rule, strategy, terms } = yield* ordered(order)
    if (OrderBudget.unfilledOf(yield* state, strategy, order, terms) === 0n)
      return yield* refused(`${order} has filled or expired: there is no entry left to move`)
    const moved = OrderRule.repriced(rule, price)
    if ("why" in moved) return yield* refused(`${order} stays at its price: ${moved.why}`)
    const written = { ...own, id: order, rule: moved.rule }
    return yield* writeDown(written, yield* draftOf(written), dry)
  }, turn.withPermit)

  /** Needs no plan, so the market cannot hold it up. */
  const cancel = Effect.fnUntraced(function* (id: string) {
    const { own, rule, strategy, terms } = yield* ordered(id)
    const present = yield* state
    if (OrderBudget.isOver(present, strategy, id))
      return yield* refused(`${id} has ended: limitbot order list shows how`)
    const orders = new Map(ByHand.ordersIn(own.text))
    orders.delete(id)
    const { limits } = yield* parsed(own, own.text)
    const less = OrderBudget.budgetWith(present, own.market, orders, id)
    const budget = { base: min(less.base, limits.budget.base), quote: min(less.quote, limits.budget.quote) }
    yield* write(own, ByHand.edited(own.text, own.market, { orders, budget, cancelled: id }))
    const { note, objection } = yield* reload(own.file)
    if (objection !== "" && running().some(({ name }) => name === strategy))
      return yield* refused(`${id} is not cancelled yet: ${objection}. At once: limitbot pause ${strategy} --cancel`)
    const exits = terms.hasExit ? ", and its exits with it" : ""
    const shown = "what has filled stays. limitbot orders shows it until its money is back"
    return answerOf({ ...own, id, rule }, `${id} is cancelled${exits}; ${shown}${note}`)
  }, turn.withPermit)

  const list = Effect.flatMap(state, (present) => withFiles(listed(config, present)))
  return { list, place, change, cancel } satisfies OrderServices
})

type Kept = Pick<BotSettings, "journal" | "markets">

export const standingsIn = (state: BotState, { markets }: Kept) => {
  const rows = Map.groupBy(slotsOf(state, bySymbol(markets.assets), new Map()), ({ slot }) => ByHand.orderOf(slot))
  const byName = Layers.marketsByName(markets)
  return (slot: string) => {
    const key = ByHand.orderOf(slot)
    const [strategy = "", id = ""] = key.split("/")
    const own = rows.get(key) ?? []
    const hasEnded = (each: { readonly slot: string }) =>
      OrderBudget.haveEnded(state, strategy, (name) => slotKey(strategy, name) === each.slot)
    const targetText = (slot = key) => (slot === key ? "" : `target ${slot.slice(key.length + 1)}: `)
    // Targets that have ended come last. Of the others, one in trouble or with money on the way comes first.
    const [row] = own.toSorted((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)) || a.rank - b.rank)
    const { loaded: { market: name = "", text = "" } = {} } = state.strategies.get(strategy) ?? {}
    const market = byName.get(name)
    const terms = market && OrderRule.termsIn(market, ByHand.ordersIn(text).get(id) ?? "")
    const entry = terms && OrderBudget.entryOf(state, strategy, id, terms)
    const filled = entry?.percent ? `${entry.percent} %` : (row?.filled ?? "")
    if (!OrderBudget.isOverOrClosed(state, strategy, id)) {
      const exits = entry?.inExit.map((slot) => {
        const exit = own.find((each) => each.slot === slot)
        return `${targetText(slot)}${exit?.price ? `${exit.state} at ${exit.price}, ${exit.filled}` : "waits"}`
      })
      return {
        filled,
        ...(exits?.length ? { exit: exits.join("; ") } : {}),
        state: row?.state.replace("empty", "waits") ?? "waits",
        why: `${targetText(row?.slot)}${row?.why ?? "not planned yet"}`,
        hasEnded: false
      }
    }
    const done = [...state.slots].filter(([name, { completedLegs: legs }]) => ByHand.orderOf(name) === key && legs > 0)
    const part = done.length < own.length ? `${done.length} of ${own.length} targets` : filled || "100 %"
    const ended = { filled: done.length > 0 ? part : filled, hasEnded: true }
    if (own.some(({ why }) => why === endedByExit))
      return { ...ended, filled, state: "stopped", why: `${endedByExit}; its money is back` }
    const isPart = entry !== undefined && entry.percent < 100n
    const [end, how] = isPart ? ["filled in part", "the rest of its entry was cancelled"] : ["filled", "it is done"]
    if (done.length > 0) return { ...ended, state: end, why: `${how}, and its money is in the account` }
    return OrderBudget.isOver(state, strategy, id)
      ? { ...ended, state: "expired", why: "nothing of it filled in time, and its money is back" }
      : { ...ended, state: "closed", why: "its strategy was closed, and its money is back" }
  }
}

export const listed = Effect.fn("OrderServices.listed")(function* (config: Kept, state: BotState) {
  const orders = yield* Effect.forEach(Layers.marketsByName(config.markets).values(), (market) =>
    Effect.map(ByHand.textOf(ByHand.fileOf(config.journal, market)), (text) =>
      [...ByHand.ordersIn(text)].map(([order, rule]) => ({ market, order, rule }))
    )
  )
  const standingIn = standingsIn(state, config)
  return orders.flat().map(({ market, order, rule }): OrderStanding => {
    const slot = slotKey(ByHand.strategyOf(market), order)
    return { order, terms: OrderRule.sentenceOf(market, rule), ...standingIn(slot) }
  })
})
