/**
 * The protocol of one slot in a small world, for a search of every interleaving: a bot that does what the real tables say, step by
 * step with its journal, crashes between any two steps, requests and answers that are lost, doubled or late, orders and deposits
 * that show whenever they like or never, payloads that execute as long as they are valid.
 *
 * What is due (`due`), which orders are to leave (`dueCancel`), what silence means (`silence`), what events do (`after`) and what it
 * means that an order is shown (`meaning`) are the functions of the program. Only who writes before whom, and what the venue does, is said here. Nothing bounds how long a deposit
 * may take to show: a rule that reads silence as an answer is wrong here. A rule is left out by its name, or a row of a table
 * by another table, and the search then has to find the loss that it prevents.
 */
import type { BotEvent, PlacementEvent } from "../../src/domain/BotEvent.ts"
import type { Market } from "../../src/domain/Market.ts"
import type { Order } from "../../src/domain/Order.ts"
import { certaintyOf } from "../../src/domain/Payload.ts"
import { isFinished } from "../../src/domain/Placement.ts"
import { defaults, type Settings } from "../../src/engine/EngineSettings.ts"
import * as Answers from "../../src/engine/protocol/Answers.ts"
import { withoutPayouts } from "../../src/engine/protocol/CancelCalls.ts"
import { type DoneInPass, type DueRow, due, rows as dueRows, type Todo } from "../../src/engine/protocol/Due.ts"
import {
  type CancelRow,
  rows as cancelRows,
  dueCancel,
  type OrderThere,
  ordersOf
} from "../../src/engine/protocol/DueCancels.ts"
import { meaning, type Sighting, type SightingRow, rows as sightingRows } from "../../src/engine/protocol/Sightings.ts"
import {
  concluded,
  hasArrived,
  isOnItsWay,
  type SilenceRow,
  rows as silenceRows
} from "../../src/engine/protocol/Silence.ts"
import { doubted } from "../../src/engine/state/orders/JournalIntegrity.ts"
import { about, type Placement } from "../../src/engine/state/Placement.ts"
import { placementAfter, planned } from "../../src/engine/state/PlacementFold.ts"
import * as Tries from "../../src/engine/state/process/Tries.ts"

export const rules = [
  "journal the payload before it is sent",
  "one payload for a placement",
  "a cancel that was asked for is not an end",
  "an abandoned placement stays abandoned",
  "absence from a list is not an end",
  "one bot for a journal",
  "a torn journal is doubted"
] as const
export type Rule = (typeof rules)[number]

/** What the bot goes by: the program's tables, or some with a row changed. */
export interface Tables {
  readonly due: ReadonlyArray<DueRow>
  readonly cancels: ReadonlyArray<CancelRow>
  readonly silence: ReadonlyArray<SilenceRow>
  readonly sightings: ReadonlyArray<SightingRow>
}
export const tables: Tables = { due: dueRows, cancels: cancelRows, silence: silenceRows, sightings: sightingRows }

interface Bot {
  isUp: boolean
  /** What it is about to do after the record that says so: lost in a crash. */
  next: "" | "post" | "submit" | "record"
  /** The placement that this is about. */
  at: number
  /** Somebody wants that nothing begins or is paid. */
  isHeld: boolean
  /** As its journal tells them, the last one first in line for the slot. */
  placements: ReadonlyArray<Placement>
  /** Reads that showed no deposit: in the memory of the process. */
  emptyReads: number
}

interface VenueOrder {
  readonly placement: number
  readonly isListed: boolean
  readonly deposits: number
  readonly isDepositShown: boolean
  readonly isTerminal: boolean
  readonly isCancelAsked: boolean
}

interface SentPayload {
  /** It was signed while its order was over. */
  readonly isTooLate: boolean
  readonly order: number
  readonly isSent: boolean
  readonly isExecuted: boolean
  readonly isExpired: boolean
  readonly isAnswered: boolean
}

export interface ModelState {
  bots: Array<Bot>
  orders: Array<VenueOrder>
  payloads: Array<SentPayload>
  /** Placements whose create is on its way, and orders whose answer is. */
  creates: Array<number>
  replies: Array<number>
  crashes: number
  posts: number
  /** What was done although it was not to be. */
  trespass: string
}

export interface Bounds {
  readonly placements: number
  readonly crashes: number
  readonly posts: number
  readonly orders: number
  /** A crash may lose the newest records. */
  readonly isTorn?: true
  /** Somebody may stop everything at any time, and the venue may end what is not paid. */
  readonly isHeld?: true
}

export const start = ({ crashes }: Bounds, without: ReadonlySet<Rule>): ModelState => ({
  bots: Array.from({ length: without.has("one bot for a journal") ? 2 : 1 }, () => ({
    isUp: true,
    next: "",
    at: 0,
    isHeld: false,
    placements: [],
    emptyReads: 0
  })),
  orders: [],
  payloads: [],
  creates: [],
  replies: [],
  crashes,
  posts: 0,
  trespass: ""
})

const amount = 1_000_000n
const market: Market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}
/** No pauses: whatever may be repeated is. */
const settings: Settings = {
  ...defaults,
  account: { signerId: "me", depositType: "INTENTS", maxAppFeeBasisPoints: 0 },
  retryMinMillis: 0,
  retryMaxMillis: 0,
  visibilityMillis: 0
}
const validUntil = 100
const forLong = 10_000_000
const deadline = 1_000_000_000

/** A clone of the journal plans the same placements, with the same fingerprints, in the same slot. */
const plan = (number: number): Placement =>
  planned(
    {
      _tag: "Planned",
      ...{ strategy: "s", slot: "slot", placement: `p${number}`, market: market.name, side: "SELL" },
      ...{ price: { digits: 60_000n, scale: 0 }, quantity: amount, inputAsset: "BTC", inputAmount: amount },
      ...{ outputAsset: "USDC", outputAmount: 600_000_000n, deadline: deadline + number },
      why: { code: "model", text: "model" }
    },
    0
  )

const numberOf = (id: string): number => Number(id.slice(1))

/** As the venue shows it now. Money of an order that is over is back at once. */
const shown = (index: number, { deposits, isDepositShown, isTerminal, placement }: VenueOrder): Order => {
  const depositedAmount = isDepositShown ? BigInt(deposits) * amount : 0n
  const isBack = isTerminal && depositedAmount > 0n
  return {
    id: `o${index}`,
    ...{ side: "SELL", baseAsset: "btc", quoteAsset: "usdc", originAsset: "btc", destinationAsset: "usdc" },
    ...{ quantity: amount, price: { digits: 60_000n, scale: 0 }, inputAmount: amount, outputAmount: 600_000_000n },
    ...{ depositAddress: `a${index}`, depositType: "INTENTS", appFeeBasisPoints: 0 },
    ...{ recipient: "me", recipientType: "INTENTS", refundTo: "me", refundType: "INTENTS" },
    fillStatus: isTerminal ? "CANCELED" : depositedAmount > 0n ? "OPEN" : "AWAITING_DEPOSIT",
    depositedAmount,
    ...{ fills: [], withdrawals: [], payoutIsFinal: isBack, ...(isBack ? { refund: { status: "COMPLETED" } } : {}) },
    ...{ estimatedWithdrawFee: 0n, estimatedRefundFee: 0n, deadline: deadline + placement }
  }
}

/** The placement after events about it. Sendings are counted up to two: more make no difference. */
const fold = (placement: Placement, events: ReadonlyArray<BotEvent>): Placement =>
  events.reduce((known, event) => {
    const counted = event._tag === "FundingSent" ? { ...event, attempt: Math.min(2, event.attempt) } : event
    return isAbout(counted) ? placementAfter(known, counted, 0) : known
  }, placement)

type LaterEvent = Exclude<PlacementEvent, { readonly _tag: "Planned" }>
const isAbout = (event: BotEvent): event is LaterEvent => "placement" in event && event._tag !== "Planned"

const bits = (...flags: ReadonlyArray<boolean>): number => flags.reduce((sum, flag) => sum * 2 + (flag ? 1 : 0), 0)

const keys = new WeakMap<Placement, string>()
const keyOfPlacement = (placement: Placement): string => {
  const known = keys.get(placement)
  if (known !== undefined) return known
  const { cancel, contradiction, deposited, funding, mayBePaid, order, spares, state, status = "" } = placement
  const paid =
    funding && `${funding.intentHash}${funding.attempts}${bits(funding.acknowledged, funding.mayBeForgotten === true)}`
  const flags = bits(cancel !== undefined, contradiction !== undefined, mayBePaid === true)
  const key = `${state}/${order?.id}/${paid}/${flags}/${deposited}/${status}/${[...spares].join()}`
  keys.set(placement, key)
  return key
}

/** The same text for the same state, whatever the order in which requests are on their way. */
export const keyOf = ({ bots, crashes, creates, orders, payloads, posts, replies, trespass }: ModelState): string => {
  const ofBots = bots.map(
    ({ at, emptyReads, isHeld, isUp, next, placements }) =>
      `${bits(isUp, isHeld)}${next}${next === "" ? "" : at}${emptyReads}${placements.map(keyOfPlacement).join("&")}`
  )
  const ofOrders = orders.map(
    ({ deposits, isCancelAsked, isDepositShown, isListed, isTerminal, placement }) =>
      `${placement}${deposits}${bits(isListed, isDepositShown, isTerminal, isCancelAsked)}`
  )
  const ofPayloads = payloads.map(
    ({ isAnswered, isExecuted, isExpired, isSent, isTooLate, order }) =>
      `${order}${bits(isSent, isExecuted, isExpired, isAnswered, isTooLate)}`
  )
  const onTheWay = `${creates.toSorted().join()}/${replies.toSorted().join()}`
  return `${ofBots.join(";")}|${ofOrders.join()}|${ofPayloads.join()}|${onTheWay}|${crashes}${posts}${trespass}`
}

const payloadOf = ({ funding }: Placement): number => (funding === undefined ? -1 : numberOf(funding.intentHash))
const orderIndex = ({ order }: Placement): number => (order === undefined ? -1 : numberOf(order.id))

/** What must never be, in words. */
export const broken = ({ bots, orders, payloads, trespass }: ModelState): string | undefined => {
  if (trespass !== "") return trespass
  if (payloads.some(({ isTooLate }) => isTooLate)) return "what is over is paid"
  const paid = new Map<number, number>()
  let live = 0
  for (const { deposits, isTerminal, placement } of orders) {
    if (deposits > 1) return "an order is funded twice"
    if (deposits > 0 && !isTerminal) live += 1
    paid.set(placement, (paid.get(placement) ?? 0) + deposits)
  }
  if (live > 1) return "two funded orders in one slot"
  if ([...paid.values()].some((deposits) => deposits > 1)) return "a placement is funded twice"
  for (const placement of bots.flatMap(({ placements }) => placements)) {
    const { isExecuted, order = -1 } = payloads[payloadOf(placement)] ?? {}
    if (isFinished(placement.state) && isExecuted && orders[order]?.isTerminal === false)
      return "money that is in a live order is taken for free"
  }
  return undefined
}

/** Nothing is left to do, or what is left waits for the venue or is said to be in doubt. */
export const isAtRest = ({ bots, orders }: ModelState, { placements: most }: Bounds): boolean =>
  bots.every((bot) => {
    const last = bot.placements.at(-1)
    if (!bot.isUp || last === undefined) return false
    const leaving = ordersOf(last).filter((there) => isToLeave(bot, there, cancelRows))
    if (leaving.some(({ orderId }) => orders[numberOf(orderId)]?.isCancelAsked === false)) return false
    const isWaitedFor = last.state === "in doubt" || last.state === "open" || isExecuted(last)
    return isWaitedFor || (isFinished(last.state) && bot.placements.length >= most)
  })

/** Nothing keeps a cancel waiting: it may be repeated at once, and any may get no answer. */
const isToLeave = ({ isHeld }: Bot, there: OrderThere, by: ReadonlyArray<CancelRow>): boolean => {
  const facts = { now: 0, settings, isKilled: isHeld, isUnrecorded: false, underWay: nothing, hurriedAt: 0 }
  return dueCancel(there, Tries.none, facts, by) === "cancel"
}

const nothing: ReadonlySet<string> = new Set()

const isExecuted = ({ funding, state }: Placement): boolean =>
  state === "funding" && funding !== undefined && certaintyOf(funding) === "executed"

type Change = (state: ModelState) => void
type Push = (name: string, change: Change) => void

/** Everything that can happen next, named. */
export const next = (
  state: ModelState,
  bounds: Bounds,
  without: ReadonlySet<Rule>,
  by: Tables = tables
): ReadonlyArray<readonly [string, ModelState]> => {
  const out: Array<readonly [string, ModelState]> = []
  const push: Push = (name, change) => {
    const changed: ModelState = {
      ...state,
      bots: state.bots.map((bot) => ({ ...bot })),
      orders: [...state.orders],
      payloads: [...state.payloads],
      creates: [...state.creates],
      replies: [...state.replies]
    }
    change(changed)
    out.push([name, changed])
  }
  for (let index = 0; index < state.bots.length; index += 1) botSteps(state, index, { bounds, without, by }, push)
  venueSteps(state, bounds, push)
  return out
}

interface World {
  readonly bounds: Bounds
  readonly without: ReadonlySet<Rule>
  readonly by: Tables
}

const botSteps = (state: ModelState, index: number, world: World, push: Push): void => {
  const { bounds, without } = world
  const bot = state.bots[index]
  if (bot === undefined) return
  const on = (name: string, change: (bot: Bot, state: ModelState) => void) =>
    push(`${name}${index === 0 ? "" : " (clone)"}`, (changed) => {
      const own = changed.bots[index]
      if (own !== undefined) change(own, changed)
    })
  if (!bot.isUp) {
    return on("restart", (own) => {
      own.isUp = true
    })
  }
  const number = bot.placements.length - 1
  const last = bot.placements[number]
  if (state.crashes > 0) {
    const crash = (name: string, placements: (known: ReadonlyArray<Placement>) => ReadonlyArray<Placement>) =>
      on(name, (own, changed) => {
        changed.crashes -= 1
        Object.assign(own, { isUp: false, next: "", emptyReads: 0, placements: placements(own.placements) })
      })
    crash("crash", (known) => known)
    if (bounds.isTorn === true && last?.state === "funding") {
      const { funding, ...rest } = last
      const lose = (what: string, lost: Placement) =>
        crash(`crash that loses ${what}`, (known) => [
          ...known.slice(0, -1),
          without.has("a torn journal is doubted") ? lost : doubted(lost)
        ])
      lose("that it was sent", { ...rest, state: "funding", funding: { ...funding, attempts: 0 } })
      lose("that it was signed", { ...rest, state: "created", funding: undefined })
    }
  }
  if (bounds.isHeld === true && !bot.isHeld)
    on("hold everything", (own) => {
      own.isHeld = true
    })
  if (bot.isHeld)
    on("release", (own) => {
      own.isHeld = false
    })
  const isFree = last === undefined || isFinished(last.state)
  if (isFree && bot.next === "" && bot.placements.length < bounds.placements)
    on("plan", (own) => {
      own.placements = [...own.placements, plan(number + 1)]
      own.emptyReads = 0
    })
  bot.placements.forEach((placement, which) => {
    const become = (own: Bot, known: Placement) => {
      own.placements = own.placements.map((each, at) => (at === which ? known : each))
    }
    const isBusy = bot.next === "post" || bot.next === "record"
    if (!isBusy) reportSteps(state, placement, which, world, (name, known) => on(name, (own) => become(own, known)))
    if (bot.next === "" || bot.at === which)
      workSteps(state, bot, placement, world, (name, known, change = () => undefined) =>
        on(name, (own, changed) => {
          become(own, known)
          own.at = which
          change(own, changed)
        })
      )
    // Beside the turns: what these are about to do does not keep it back.
    cancelSteps(state, bot, placement, world, (name, known, change = () => undefined) =>
      on(name, (own, changed) => {
        become(own, known)
        change(own, changed)
      })
    )
  })
}

/** What the answer to a create, the list, or an answer to a payload tells of a placement. */
const reportSteps = (
  { orders, payloads, replies }: ModelState,
  placement: Placement,
  which: number,
  { by, without }: World,
  on: (name: string, known: Placement) => void
): void => {
  const isReborn = without.has("an abandoned placement stays abandoned") && placement.state === "abandoned"
  orders.forEach((order, index) => {
    const isAnswer = replies.includes(index)
    if (order.placement !== which || !(isAnswer || order.isListed)) return
    const report = shown(index, order)
    const isOwn = placement.order?.id === report.id
    const told = (name: string, events: ReadonlyArray<BotEvent>, known = placement) => {
      if (events.length > 0) on(name, fold(known, events))
    }
    if (placement.state === "creating" || (isReborn && !isOwn)) {
      const asked = fold(plan(which), [{ _tag: "CreateSent", ...about(placement), attempt: 1 }])
      const known = isReborn ? asked : placement
      told("bind", shows(known, report, by, isAnswer ? "create" : "look"), known)
    } else if (order.isListed && isOwn && !isFinished(placement.state)) {
      told("read the order", shows(placement, report, by))
    } else if (order.isListed && !isOwn && placement.deposited === 0n) {
      if (placement.funding === undefined && placement.createAttempts > 0)
        told(hasArrived(report) ? "adopt a twin" : "see a twin", shows(placement, report, by))
    }
  })
  if (payloads[payloadOf(placement)]?.isAnswered === true && placement.state === "funding" && !isExecuted(placement))
    on("acknowledge", fold(placement, [{ _tag: "FundingAcknowledged", ...about(placement), intentHash: "h" }]))
}

const shows = (placement: Placement, order: Order, { sightings }: Tables, via: Sighting["via"] = "look") =>
  meaning(placement, { order, via, market, expected: settings.account }, sightings)

type OnWork = (name: string, known: Placement, change?: (bot: Bot, state: ModelState) => void) => void

/** What the bot does for the placement in its slot, of itself and on somebody's word. */
const workSteps = (state: ModelState, bot: Bot, placement: Placement, world: World, on: OnWork): void => {
  const { without } = world
  const order = orderIndex(placement)
  const payload = state.payloads[payloadOf(placement)]
  if (bot.next !== "") return finish(state, placement, bot, on)
  if (isFinished(placement.state)) return
  for (const isLong of [false, true]) go(state, bot, placement, world, isLong, on)
  if (placement.funding === undefined && placement.state !== "open" && placement.state !== "closing")
    on("abandon", fold(placement, Answers.abandoned(placement, "model")))
  if (placement.cancel === undefined && order >= 0)
    on("cancel", fold(placement, [{ _tag: "CancelRequested", ...about(placement), why }]))
  const isPaying = placement.state === "funding" || placement.state === "in doubt"
  // The operator looks it up, and says what is true.
  if (isPaying && payload?.isExpired === true && !payload.isExecuted)
    on(
      "end the doubt by the operator's word",
      fold(placement, [{ _tag: "Resolved", ...about(placement), word: "not-paid", text: "model" }])
    )
  const dead = { _tag: "FundingDead", ...about(placement), asset: "BTC", amount, reason: "model" } as const
  if (isPaying && placement.cancel !== undefined && without.has("a cancel that was asked for is not an end"))
    on("take a cancel for an end", fold(placement, [dead]))
  if (placement.state === "open" && without.has("absence from a list is not an end"))
    on("take silence for an end", { ...placement, state: "dead" } as Placement)
  const isSent = placement.state === "funding" && placement.funding.attempts > 0
  if (without.has("one payload for a placement") && isSent && state.payloads.length < 3)
    on(
      "sign again",
      { ...placement, funding: { ...placement.funding, attempts: 0, intentHash: hashOf(state) } },
      sign(order)
    )
  if (
    without.has("journal the payload before it is sent") &&
    placement.state === "created" &&
    state.payloads.length < 4
  )
    on("sign and submit", placement, (own, changed) => {
      own.next = "record"
      changed.payloads.push({ ...newPayload(order), isSent: true })
    })
}

/** The orders of a placement that are to leave are asked to; the answer is lost, or shows the order as it is now. */
const cancelSteps = ({ orders }: ModelState, bot: Bot, placement: Placement, { by }: World, on: OnWork): void => {
  for (const there of ordersOf(placement)) {
    const index = numberOf(there.orderId)
    const order = orders[index]
    if (order === undefined || !isToLeave(bot, there, by.cancels)) continue
    const isOwn = there.which === "own"
    const isWanted = placement.cancel !== undefined
    const sent = isOwn && isWanted ? [{ _tag: "CancelSent", ...about(placement), attempt: 1 } as const] : []
    const asked = fold(placement, sent)
    const ask = (_: Bot, changed: ModelState): void => {
      changed.orders[index] = { ...order, isCancelAsked: true }
      if (isOwn && !isWanted) changed.trespass = "an order leaves that nobody wants to leave"
    }
    if (!order.isCancelAsked) on(`ask its ${there.which} order to leave`, asked, ask)
    const report = withoutPayouts(shown(index, order))
    const answered = fold(asked, shows(asked, report, by, isOwn ? "look" : "cancel"))
    if (keyOfPlacement(answered) !== keyOfPlacement(placement))
      on(`ask its ${there.which} order to leave, and be answered`, answered, ask)
  }
}

const why = { code: "model", text: "model" }
const hashOf = ({ payloads }: ModelState): string => `h${payloads.length}`
const sign =
  (order: number) =>
  (_: Bot, changed: ModelState): void => {
    changed.payloads.push({ ...newPayload(order), isTooLate: changed.orders[order]?.isTerminal === true })
  }

const signed = (placement: Placement, intentHash: string): ReadonlyArray<BotEvent> =>
  placement.state === "created" ? Answers.signed(placement, { body: "", intentHash, validUntil }, undefined) : []

/** The request that a record has announced. */
const finish = ({ payloads }: ModelState, placement: Placement, { next }: Bot, on: OnWork): void => {
  const [which, index] = [numberOf(placement.id), payloadOf(placement)]
  if (next === "post") {
    on("post", placement, (own, changed) => {
      own.next = ""
      changed.posts += 1
      changed.creates.push(which)
    })
    // The gate is asked once more as it leaves, and at every turn until then.
    if (placement.state === "creating")
      on("give up before the post", fold(placement, Answers.abandoned(placement, "model")), (own) => {
        own.next = ""
      })
  }
  if (next === "record") {
    const submitted = payloads.findLastIndex(({ order }) => order === orderIndex(placement))
    const known = fold(placement, signed(placement, `h${submitted}`))
    const sent = { _tag: "FundingSent", ...about(placement), attempt: 1 } as const
    on("record what was submitted", fold(known, [sent]), (own) => {
      own.next = ""
    })
  }
  if (next === "submit")
    on("submit", placement, (own, changed) => {
      own.next = ""
      const sent = changed.payloads[index]
      if (sent !== undefined) changed.payloads[index] = { ...sent, isSent: true }
    })
}

/** What the tables say, up to the next record; reads are answered by what the venue shows now. `isLong`: nothing came for long. */
const go = (state: ModelState, bot: Bot, placement: Placement, world: World, isLong: boolean, on: OnWork): void => {
  const { bounds, by } = world
  const done = new Set<DoneInPass>()
  let [gateAnswer, hasPayload, known, emptyReads]: [
    { holdReason: string | undefined } | undefined,
    boolean,
    Placement,
    number
  ] = [undefined, false, placement, bot.emptyReads]
  const stop = bot.isHeld ? "it is held" : placement.cancel && "it is to be cancelled"
  const says = (at: Placement, seen: Parameters<typeof concluded>[1]) => concluded(at, seen, settings, by.silence)
  let isAllowed = true
  const end = (name: string, next: Bot["next"] = "", change?: (own: Bot, changed: ModelState) => void) => {
    if (known === placement && emptyReads === bot.emptyReads && next === "") return
    on(name, known, (own, changed) => {
      own.next = next
      own.emptyReads = isFinished(known.state) ? 0 : emptyReads
      if (!isAllowed) changed.trespass = `${name} although ${stop}`
      change?.(own, changed)
    })
  }
  for (let steps = 0; steps < 20; steps += 1) {
    const payload = state.payloads[payloadOf(known)]
    const isExpired = payload?.isExpired === true
    const venueNow = isExpired ? validUntil + (isLong ? forLong : 1) : 0
    const todo: Todo = due(
      known,
      { ...Tries.none, emptyReads },
      {
        ...{
          now: isLong ? forLong : 0,
          venueNow,
          monotonicNow: isLong ? forLong : 0,
          runStartedAt: 0,
          settings,
          market
        },
        ...{ concluded: says, placements: new Map(bot.placements.map((each) => [each.id, each])) },
        ...{ mayContinue: true, mayBegin: true, payAgain: new Set(), wallet: "manual", gateAnswer, done, hasPayload },
        isStillUnpaid: false
      },
      by.due
    )
    if (todo.do === "wait") return end("look")
    if (todo.do === "record") {
      known = fold(known, todo.events)
      return end("conclude")
    }
    if (todo.do === "ask") {
      gateAnswer = { holdReason: stop }
      continue
    }
    gateAnswer = undefined
    isAllowed = todo.do === "read" || stop === undefined
    const what = todo.do === "read" ? todo.why : todo.do
    if (done.has(what)) return end("look")
    done.add(what)
    if (todo.do === "create") {
      if (state.posts >= bounds.posts) return
      known = fold(known, [{ _tag: "CreateSent", ...about(known), attempt: 1 }])
      return end("record the create", "post")
    }
    if (todo.do === "sign") {
      if (state.payloads.length >= 4 || world.without.has("journal the payload before it is sent")) return
      known = fold(known, signed(known, hashOf(state)))
      end("sign", "", sign(orderIndex(known)))
      // In one record, where the gate is still open.
      known = fold(known, [{ _tag: "FundingSent", ...about(known), attempt: 1 }])
      return end("sign, and record the submission", "submit", sign(orderIndex(known)))
    }
    if (todo.do === "send") {
      known = fold(known, [{ _tag: "FundingSent", ...about(known), attempt: (known.funding?.attempts ?? 0) + 1 }])
      return end("record the submission", "submit")
    }
    if (todo.do !== "read") return end("look")
    if (todo.why === "payload") {
      hasPayload = true
      continue
    }
    const at = orderIndex(known)
    const order = state.orders[at]
    if (order === undefined) return end("look")
    const report = shown(at, order)
    const seen = fold(known, shows(known, report, by))
    if (todo.why === "taking over") {
      // Longer than a payload can be under way, and its deposit take to show.
      const isQuiet = state.payloads.every(
        (each) => each.order !== at || (each.isExpired && (!each.isExecuted || order.isDepositShown))
      )
      if (hasArrived(report)) known = seen
      else if (isQuiet) known = fold(known, says(known, { runMillis: isLong ? forLong : 0 }))
      continue
    }
    if (todo.why === "before payment") {
      known = seen
      if (known.state === "created")
        known = fold(known, Answers.beforePayment(known, report, market, settings.account, undefined))
    } else if (hasArrived(report)) known = seen
    else if (!isOnItsWay(report)) {
      emptyReads = Math.min(2, emptyReads + 1)
      const overMillis = order.isTerminal && isLong ? forLong : 0
      known = fold(known, says(known, { expiredMillis: venueNow - validUntil, emptyReads, overMillis }))
    }
  }
}

const newPayload = (order: number): SentPayload => ({
  order,
  isTooLate: false,
  isSent: false,
  isExecuted: false,
  isExpired: false,
  isAnswered: false
})

const venueSteps = (state: ModelState, bounds: Bounds, push: Push): void => {
  state.creates.forEach((placement, index) => {
    push("lose a create", ({ creates }) => {
      creates.splice(index, 1)
    })
    for (const copies of [1, 2]) {
      if (state.orders.length + copies > bounds.orders) continue
      push(copies === 1 ? "create" : "create twice", ({ creates, orders, replies }) => {
        creates.splice(index, 1)
        replies.push(orders.length)
        for (let made = 0; made < copies; made += 1) orders.push(newOrder(placement))
      })
    }
  })
  state.replies.forEach((_, index) => {
    push("lose an answer", ({ replies }) => {
      replies.splice(index, 1)
    })
  })
  state.orders.forEach((order, index) => {
    const change = (name: string, changes: Partial<VenueOrder>) =>
      push(name, ({ orders }) => {
        orders[index] = { ...order, ...changes }
      })
    if (!order.isListed) change("list an order", { isListed: true })
    if (order.deposits > 0 && !order.isDepositShown) change("show a deposit", { isDepositShown: true })
    const isPastDeadline = state.payloads.every((payload) => payload.order !== index || payload.isExpired)
    const isUnpaid = bounds.isHeld === true && state.payloads.every((payload) => payload.order !== index)
    const mayEnd =
      isUnpaid || order.isCancelAsked || (isPastDeadline && state.payloads.some((payload) => payload.order === index))
    if (!order.isTerminal && mayEnd) change("end an order", { isTerminal: true })
  })
  state.payloads.forEach((payload, index) => {
    const change = (name: string, changes: Partial<SentPayload>) =>
      push(name, ({ payloads }) => {
        payloads[index] = { ...payload, ...changes }
      })
    if (payload.isSent && !payload.isExecuted && !payload.isExpired) {
      push("execute", ({ orders, payloads }) => {
        payloads[index] = { ...payload, isExecuted: true }
        const order = orders[payload.order]
        if (order !== undefined) orders[payload.order] = { ...order, deposits: order.deposits + 1 }
      })
    }
    if (payload.isExecuted && !payload.isAnswered) change("answer", { isAnswered: true })
    if (!payload.isExpired) change("expire", { isExpired: true })
  })
}

const newOrder = (placement: number): VenueOrder => ({
  placement,
  isListed: false,
  deposits: 0,
  isDepositShown: false,
  isTerminal: false,
  isCancelAsked: false
})
