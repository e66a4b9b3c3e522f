/**
 * Judges a simulated world after every step: by the venue's own double entry, by what left the bot over the network, and by
 * what was on disk at that moment; never by what a bot believes. Each violation carries the number of its invariant
 * (I1–I25 of the reliability notes); `oracle/` has the judges of single ones.
 */
import { Redacted } from "effect"
import type { Amount } from "../../src/domain/Amount.ts"
import type { BotEvent, Of } from "../../src/domain/BotEvent.ts"
import { hourMillis } from "../../src/domain/Durations.ts"
import { isTerminal } from "../../src/domain/Order.ts"
import { plainJson } from "../../src/domain/Text.ts"
import type { Departure } from "../../src/rehearsal/world/Network.ts"
import * as Books from "../../src/sandbox/core/money/Books.ts"
import type { SandboxOrder, SandboxSwap, State } from "../../src/sandbox/core/State.ts"
import * as Alerts from "./oracle/Alerts.ts"
import * as Bounds from "./oracle/Bounds.ts"
import * as Cancels from "./oracle/Cancels.ts"
import { type Court, Violation } from "./oracle/Judge.ts"
import * as Postings from "./oracle/Postings.ts"
import * as Prices from "./oracle/Prices.ts"
import * as Signatures from "./oracle/Signatures.ts"
import * as Stops from "./oracle/Stops.ts"

interface Known {
  readonly bot: string
  readonly planned: Of<"Planned">
  createsRecorded: number
  createRecordedAt: number
  createsSent: number
  signed: ReadonlyArray<Of<"FundingSigned">>
  isSent: boolean
  /** Its bytes have not left yet, and the process that recorded that they leave lives. */
  isLeaving: boolean
  isCancelled: boolean
  isGivenUp: boolean
  /** Its payment counts as never made: its money is free again. */
  isDead: boolean
  /** Its bot has closed its books, though the venue may have lied about its end. */
  isSettled: boolean
  takenBackAt: number
  bound: Of<"Bound"> | undefined
}

interface Bot {
  killedAt: number | undefined
  readonly orders: Map<string, Known>
  readonly spares: Set<string>
  /** Told as orders that its journal should know. */
  readonly forgotten: Set<string>
  readonly frozen: Map<string, string>
  /** Since when its clock has differed from the venue's by so much that everybody must notice. */
  wrongClockSince: number | undefined
  /** What was decided in the same moment is not held against it. */
  leaseLostAt: number | undefined
}

export interface OracleOptions {
  readonly state: State
  readonly account: string
  /** The most of each asset that the bots together were given, by asset id. */
  readonly budget: ReadonlyMap<string, Amount>
  readonly now: () => number
  /** Where strategies may not be far from it. */
  readonly truth?: Prices.Truth
  /** How long after nothing is in its way a killed bot may take to ask for each cancel. */
  readonly killWithinMillis: number
  /** What the venue would take now from a bot, beyond what it gets. */
  readonly places: (bot: string) => Cancels.Places
  /** Never to be seen in a request, its headers apart, or in a journal. */
  readonly secrets: ReadonlyArray<string>
  /** Orders about whose creation the venue lies: no money may ever reach them. */
  readonly isUnfit: (orderId: string) => boolean
  /** Orders of which the venue says at any time what is not so. */
  readonly isLiedAbout: (orderId: string) => boolean
}

/** How a lie names the placement that it is about: its create, its bound order, or its deposit address. */
export type Subject =
  | { readonly deadline: number }
  | { readonly orderId: string /** Where it says now that money should go. */; readonly shows?: string }
  | { readonly depositAddress: string }

/** A clock this wrong is noticed after a few answers of the venue, which an active bot gets at once. */
const wrongMillis = 60_000
const noticedMillis = 15_000

export const make = (options: OracleOptions) => {
  const { account, budget, now, state } = options
  const placements = new Map<string, Known>()
  const bots = new Map<string, Bot>()
  const reached = new Map<string, number>()
  const seenHashes = new Map<string, number>()

  const note = (what: string) => {
    reached.set(what, (reached.get(what) ?? 0) + 1)
  }
  /** The first one; thrown in the middle of a bot it would only look like the bot's own failure. */
  let fallen: Violation | undefined
  const violated = (invariant: string, text: string): never => {
    fallen ??= new Violation(invariant, text)
    throw fallen
  }
  const court: Court = { now, note, violated }
  const keyOf = (bot: string, placement: string) => `${bot} ${placement}`
  const prices = Prices.make(court, options.truth)
  const bounds = Bounds.make(court)
  const alerts = Alerts.make(court)
  const stops = Stops.make(court)
  const confidential = state.settings.facts?.signing.CONFIDENTIAL_INTENTS
  const ledger = confidential && { verifier: confidential.verifier, prefix: `imt:${confidential.treasury}:` }
  const signatures = Signatures.make(court, { account, ledger, targets: state.targets })
  const postings = Postings.make(court, {
    orderOf: (bot, placement) => state.orders.get(placements.get(keyOf(bot, placement))?.bound?.orderId ?? ""),
    isLiedAbout: options.isLiedAbout
  })
  const cancels = Cancels.make(court, {
    withinMillis: options.killWithinMillis,
    places: options.places,
    live: (bot, before) =>
      [...botOf(bot).orders].flatMap(([id, { isSettled, planned, takenBackAt }]) => {
        const order = isSettled ? undefined : state.orders.get(id)
        const isLive = order !== undefined && !isTerminal(order.status) && order.status !== "PENDING_CANCEL"
        const isFunded = isLive && order.intentHashes.length > 0 && order.createdAt <= before
        return isFunded ? [{ id, placement: planned.placement, takenBackAt }] : []
      })
  })
  const botOf = (name: string): Bot => {
    const known = bots.get(name)
    if (known !== undefined) return known
    const bot: Bot = {
      killedAt: undefined,
      orders: new Map(),
      spares: new Set(),
      forgotten: new Set(),
      frozen: new Map(),
      leaseLostAt: undefined,
      wrongClockSince: undefined
    }
    bots.set(name, bot)
    return bot
  }

  const keepsSecrets = (what: string, text: string): void => {
    for (const secret of options.secrets) if (text.includes(secret)) violated("I16", `a secret is in ${what}`)
  }

  /** An event that is on disk now, and was decided on then: a journal far away may take long. */
  const recorded = (name: string, event: BotEvent, decidedAt = now()): void => {
    const signed = event._tag === "FundingSigned" ? Redacted.value(event.signed) : ""
    keepsSecrets(`the journal (${event._tag})`, plainJson(event) + signed)
    const bot = botOf(name)
    note(event._tag)
    bounds.recorded(name)
    alerts.recorded(name, event)
    stops.recorded(name, event)
    postings.recorded(name, event)
    // The bot goes on after a mistake of its own, so this is how one comes to light.
    if (event._tag === "PlanFailed") violated("I23", `${event.strategy} cannot be planned: ${event.reason}`)
    if (event._tag === "LoopFailed") violated("I23", `${event.what} failed: ${event.reason}`)
    if (event._tag === "JournalBehind") bot.forgotten.add(event.orderId)
    if (event._tag === "KillSwitch") bot.killedAt = event.on ? now() : undefined
    if (event._tag === "Planned") {
      if (bot.killedAt !== undefined) violated("I18", `${event.placement} was planned under kill`)
      prices.needed(name, `${event.placement} was planned`, decidedAt)
      placements.set(keyOf(name, event.placement), {
        bot: name,
        planned: event,
        createsRecorded: 0,
        createRecordedAt: 0,
        createsSent: 0,
        signed: [],
        isSent: false,
        isLeaving: false,
        isCancelled: false,
        isGivenUp: false,
        isDead: false,
        isSettled: false,
        takenBackAt: 0,
        bound: undefined
      })
      return
    }
    if (!("placement" in event)) return
    const placement = placements.get(keyOf(name, event.placement))
    if (placement === undefined) return
    const slot = `${event.strategy}/${event.slot}`
    switch (event._tag) {
      case "CreateSent":
        placement.createsRecorded += 1
        placement.createRecordedAt = now()
        return
      case "Bound":
        placement.bound = event
        bot.orders.set(event.orderId, placement)
        return
      case "OrphanSeen":
        bot.spares.add(event.orderId)
        return
      case "Abandoned":
      case "FundingDead":
        placement.isGivenUp = true
        placement.isDead ||= event._tag === "FundingDead"
        return
      case "CancelRequested":
        placement.isCancelled = true
        return
      case "Settled":
        placement.isSettled = true
        return
      case "TakenBack":
        placement.isSettled = false
        placement.takenBackAt = now()
        return
      case "FundingSigned":
        placement.signed = [...placement.signed, event]
        prices.needed(name, `${event.placement} was signed`, decidedAt)
        prices.paid(placement.planned)
        if (bot.killedAt !== undefined) violated("I18", `${event.placement} was signed under kill`)
        if (placement.isCancelled) violated("I6", `${event.placement} was signed after its cancel was recorded`)
        if (now() > (bot.leaseLostAt ?? now())) violated("R8", `${event.placement} was signed without the lease`)
        if (now() - (bot.wrongClockSince ?? now()) > noticedMillis)
          violated("R8", `${event.placement} was signed by a clock that is wrong`)
        if (placement.isGivenUp) violated("I6", `${event.placement} was signed after it was given up`)
        if (bot.frozen.has(slot))
          violated("I6", `${event.placement} was signed in a frozen slot: ${bot.frozen.get(slot)}`)
        return
      case "FundingSent":
        if (placement.isSent) return
        placement.isSent = true
        placement.isLeaving = true
        prices.needed(name, `bytes of ${event.placement} were recorded as sent`, decidedAt)
        if (bot.killedAt !== undefined) violated("I18", `bytes of ${event.placement} were first sent under kill`)
        if (now() > (bot.leaseLostAt ?? now()))
          violated("R8", `bytes of ${event.placement} were first sent without the lease`)
        if (placement.isCancelled) violated("I6", `bytes of ${event.placement} were first sent after its cancel`)
        return
      case "Contradiction":
        bot.frozen.set(slot, event.what)
        return
      default:
    }
  }

  const departed = (name: string, departure: Departure): void => {
    const { body, fate, method, path } = departure
    note(`request ${fate}`)
    bounds.departed(name)
    prices.departed(name, departure)
    keepsSecrets(`a request (${method} ${path})`, path + body)
    if (method !== "POST") return
    if (path === "/v0/orders") return creates(name, body)
    if (path === "/v0/submit-intent") return submits(name, body)
    const cancelled = /^\/v0\/orders\/([^/]+)\/cancel$/.exec(path)?.[1]
    if (cancelled !== undefined) asksToCancel(name, cancelled)
  }

  const creates = (name: string, body: string): void => {
    const deadline = Date.parse(JSON.parse(body).data.attributes.deadline)
    // Short lives have few deadlines, and one that is free again may be drawn again.
    const placement = [...placements.values()].findLast(
      ({ bot, planned }) => bot === name && planned.deadline === deadline
    )
    if (placement === undefined) return violated("I13", "a create left that no journal knows")
    placement.createsSent += 1
    if (placement.createsSent > placement.createsRecorded)
      violated("I14", `${placement.planned.placement} was created more often than recorded`)
    const { killedAt } = botOf(name)
    if (killedAt !== undefined && placement.createRecordedAt > killedAt)
      violated("I18", `${placement.planned.placement} was created under kill`)
  }

  const submits = (name: string, body: string): void => {
    const placement = [...placements.values()].find(
      ({ bot, signed }) => bot === name && signed.some((event) => Redacted.value(event.signed) === body)
    )
    const signed = placement?.signed.find((event) => Redacted.value(event.signed) === body)
    if (signed === undefined) return violated("I13", `bytes left that were not journaled: ${body.slice(0, 500)}`)
    if (placement?.isSent !== true) return violated("I13", `bytes of ${signed.placement} left before it was recorded`)
    // Bytes that may have left before go out again whatever the price is by then.
    if (placement.isLeaving) prices.needed(name, `bytes of ${signed.placement} first left`)
    placement.isLeaving = false
    stops.left(name, signed)
    signatures.left(name, signed)
  }

  /**
   * Its deadline looks like one of the bot's by chance, and that was told. Where orders live for minutes, one in 250 does; otherwise the cancel
   * must move nothing any more.
   */
  const looksOwnAndTold = (name: string, orderId: string): boolean => {
    const order = state.orders.get(orderId)
    const mayMatch = order !== undefined && (isTerminal(order.status) || order.deadline - order.createdAt < hourMillis)
    return mayMatch && botOf(name).forgotten.has(orderId)
  }

  const asksToCancel = (name: string, orderId: string): void => {
    const { orders, spares } = botOf(name)
    if (orders.has(orderId)) cancels.departed(name, orderId)
    else if (!spares.has(orderId) && !looksOwnAndTold(name, orderId))
      violated("I15", `${name} cancelled ${orderId}, which is not its own`)
  }

  /** Which placement an order or swap belongs to: the one that bound it, or else the one with its deadline. */
  const ownerOf = (order: SandboxOrder | SandboxSwap): Known | undefined => {
    for (const bot of bots.values()) {
      const known = bot.orders.get(order.id)
      if (known !== undefined) return known
    }
    const isIt = ({ planned, signed }: Known) =>
      order.kind === "order"
        ? planned.deadline === order.deadline
        : signed.some(({ depositAddress }) => depositAddress === order.depositAddress)
    return [...placements.values()].findLast(isIt)
  }

  const checkFunding = (): void => {
    const byPlacement = new Map<string, string>()
    const bySlot = new Map<string, string>()
    for (const order of [...state.orders.values(), ...state.swaps.values()]) {
      const paid = order.intentHashes.length
      if (paid === 0) continue
      if (paid > 1) violated("I4", `order ${order.id} was funded ${paid} times`)
      const owner = ownerOf(order)
      if (owner === undefined) return violated("I12", `order ${order.id} holds money and belongs to no placement`)
      const { bot, planned } = owner
      const key = keyOf(bot, planned.placement)
      const twin = byPlacement.get(key)
      if (twin !== undefined) violated("I4", `${key} funded two orders: ${twin} and ${order.id}`)
      byPlacement.set(key, order.id)
      if (owner.isDead && !(order.kind === "order" && options.isLiedAbout(order.id)))
        violated("R9", `the payment of ${key} counts as never made, and ${order.id} holds it`)
      if (seenHashes.get(order.id) !== paid) {
        seenHashes.set(order.id, paid)
        note("deposit executed")
        // Nobody lies about quotes of swaps.
        if (order.kind === "order" && options.isUnfit(order.id))
          violated("I6", `order ${order.id} was funded although the venue's word about it was wrong`)
        const wanted = order.kind === "order" ? order.inputAmount : order.quoted.amountIn
        if (wanted !== planned.inputAmount)
          violated("I5", `order ${order.id} wants ${wanted}, planned were ${planned.inputAmount}`)
        const promised = order.kind === "order" ? order.outputAmount : order.quoted.minAmountOut
        if (promised < planned.outputAmount)
          violated("I8", `order ${order.id} promises ${promised}, planned were ${planned.outputAmount}`)
      }
      if (order.kind === "order" ? isTerminal(order.status) : order.isClosed) continue
      const slot = `${bot} ${planned.strategy}/${planned.slot}`
      const other = bySlot.get(slot)
      if (other !== undefined) violated("I3", `${slot} has two funded orders: ${other} and ${order.id}`)
      bySlot.set(slot, order.id)
    }
  }

  /** What left the account and did not come back is never more than what the bots were given. */
  const checkBudget = (): void => {
    for (const { decimals, id, initial, symbol } of state.settings.assets) {
      const started = BigInt(initial) * 10n ** BigInt(decimals)
      // Public and private money: bots trade with one of them.
      const taken = (["balance", "private"] as const)
        .map((place) => started - Books.amountIn(state.books, id, { account, place }))
        .reduce((sum, each) => sum + each, 0n)
      const allowed = budget.get(id) ?? 0n
      if (taken > allowed)
        violated("I2", `${taken} ${symbol} left the account, of a budget of ${allowed} (smallest units)`)
    }
  }

  /** An answer with a lie in it has reached a bot, and it must not believe it. */
  const told = (name: string, { about, lie }: { readonly about: Subject; readonly lie: string }): void => {
    const found = [...placements.values()].findLast(({ bot, bound, planned }) => {
      if (bot !== name) return false
      if ("deadline" in about) return planned.deadline === about.deadline
      if ("depositAddress" in about) return bound?.depositAddress === about.depositAddress
      return bound?.orderId === about.orderId && (about.shows === undefined || bound.depositAddress !== about.shows)
    })
    if (found !== undefined) alerts.told(name, found.planned.placement, lie)
  }

  /** The disk lost the newest events of a bot, which it had promised to keep. */
  const lost = (name: string, events: ReadonlyArray<BotEvent>): void => {
    postings.lost(name, events.length)
    alerts.lost(name, events)
    stops.lost(name, events.length)
    for (const event of events) {
      const placement = "placement" in event ? placements.get(keyOf(name, event.placement)) : undefined
      if (placement !== undefined)
        Object.assign(placement, { isGivenUp: false, isDead: false, isCancelled: false, isSettled: false })
      if (event._tag === "Contradiction") botOf(name).frozen.delete(`${event.strategy}/${event.slot}`)
    }
  }

  return {
    recorded,
    lost,
    departed,
    told,
    /** The process ended, slept or could not write. */
    interrupted: (name: string): void => {
      for (const placement of placements.values()) if (placement.bot === name) placement.isLeaving = false
      alerts.interrupted(name)
    },
    dark: alerts.dark,
    booksOf: postings.booksOf,
    /** At rest, after everything went right for long. */
    complete: postings.complete,
    bounded: bounds.check,
    /** `isChanged`: the venue has answered since the last time. */
    check: (isChanged: boolean) => {
      if (fallen !== undefined) throw fallen
      if (isChanged) {
        checkFunding()
        checkBudget()
      }
      cancels.check()
      alerts.check()
    },
    withdrawing: cancels.withdrawing,
    /** How far the clock of a bot is ahead of the venue's. */
    clock: (name: string, skewMillis: number) => {
      const bot = botOf(name)
      bot.wrongClockSince = Math.abs(skewMillis) > wrongMillis ? (bot.wrongClockSince ?? now()) : undefined
    },
    leaseLost: (name: string, isLost: boolean) => {
      botOf(name).leaseLostAt = isLost ? now() : undefined
    },
    /** How often each event and accident came up. */
    reached,
    placements,
    note
  }
}
export type Oracle = ReturnType<typeof make>
