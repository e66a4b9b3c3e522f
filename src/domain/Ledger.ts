/**
 * The ledger: a double-entry fold of the journal. Every unit of every asset is in exactly one place, and every event moves amounts between
 * places, so the sum per asset is always zero. An amount that does not add up goes to `residual` under its placement. Counter accounts
 * record where money came from and went: `outside` funds budgets, `traded` has what fills exchanged, and `given back` has what ended
 * strategies returned to the account.
 */
import { type Amount, max, min } from "./Amount.ts"
import type { BotEvent, Of, PlacementEvent, Tag } from "./BotEvent.ts"
import { byHand, firstOrder, hasNoBudget } from "./Placement.ts"

export const places = [
  "wallet",
  "dust",
  "deposit in flight",
  "in doubt",
  "in order",
  "filled unpaid",
  "payout in flight",
  "refund in flight",
  "fees",
  "residual",
  "lost"
] as const

export type Place = (typeof places)[number]

export type AccountName = Place | "outside" | "traded" | "given back" | "dust given back"

type Route = ReadonlyMap<AccountName, AccountName>

/** Moves a strategy's unused money back to the account. Dust stays apart, so that it is dust again when its strategy is loaded again. */
const back: Route = new Map([
  ["wallet", "given back"],
  ["dust", "dust given back"]
])
const again: Route = new Map([...back].map(([own, given]) => [given, own]))

interface OwnerAccount {
  readonly asset: string
  readonly account: AccountName
  readonly owner: string
}

export interface Transfer {
  readonly asset: string
  readonly amount: Amount
  readonly from: { readonly account: AccountName; readonly owner: string }
  readonly to: { readonly account: AccountName; readonly owner: string }
}

/** The slot of a strategy that sells its dust: base that a leg left unsold because it was too little for an order. */
export const dustSlot = (asset: string): string => `dust:${asset}`
export const isDustSlot = (slot: string): boolean => slot.startsWith("dust:")

/** Place of a strategy's spendable money. A strategy without a budget takes its money from outside and returns it there. */
const purseOf = (strategy: string): "wallet" | "outside" => (hasNoBudget(strategy) ? "outside" : "wallet")

export interface Ledger {
  readonly balances: Map<string, { readonly entry: OwnerAccount; readonly amount: Amount }>
  readonly runs: Map<string, boolean>
}

export const make = (): Ledger => ({ balances: new Map(), runs: new Map() })

const keyOf = (asset: string, account: AccountName, owner: string): string => `${asset}\u0000${account}\u0000${owner}`

const balance = ({ balances }: Ledger, asset: string, account: AccountName, owner: string): Amount =>
  balances.get(keyOf(asset, account, owner))?.amount ?? 0n

const change = ({ balances }: Ledger, asset: string, { account, owner }: Transfer["from"], delta: Amount): void => {
  const key = keyOf(asset, account, owner)
  const amount = (balances.get(key)?.amount ?? 0n) + delta
  if (amount === 0n) balances.delete(key)
  else balances.set(key, { entry: { asset, account, owner }, amount })
}

const book = (ledger: Ledger, transfers: ReadonlyArray<Transfer>): ReadonlyArray<Transfer> => {
  for (const { asset, amount, from, to } of transfers) {
    change(ledger, asset, from, -amount)
    change(ledger, asset, to, amount)
  }
  return transfers
}

export const movingTags = [
  "BotStarted",
  "StrategyLoaded",
  "StrategyRemoved",
  "BudgetAllotted",
  "LegClosed",
  "PaymentAsked",
  "FundingSigned",
  "FundingInDoubt",
  "PaymentAskedAgain",
  "FundingDead",
  "DepositSeen",
  "FillSeen",
  "Closed",
  "Reopened",
  "PayoutStarted",
  "PaidOut",
  "Refunded",
  "LegFailed",
  "Settled",
  "TakenBack",
  "Resolved",
  "WrittenOff",
  "Found"
] as const satisfies ReadonlyArray<Tag>

const transfersOf = (ledger: Ledger, event: BotEvent): ReadonlyArray<Transfer> => {
  if (event._tag === "BudgetAllotted") {
    const { amount, asset, strategy: owner } = event
    const fresh = amount + balance(ledger, asset, "outside", owner)
    return move(asset, fresh, { account: "outside", owner }, { account: "wallet", owner })
  }
  if (event._tag === "LegClosed") {
    const { asset, rest, side, strategy: owner } = event
    const amount = side === "BUY" ? 0n : min(rest, max(0n, balance(ledger, asset, "wallet", owner)))
    return move(asset, amount, { account: "wallet", owner }, { account: "dust", owner })
  }
  return "placement" in event ? transfersOfPlacement(ledger, event) : []
}

const transfersOfPlacement = (ledger: Ledger, event: PlacementEvent): ReadonlyArray<Transfer> => {
  const purse = purseOf(event.strategy)
  const home = isDustSlot(event.slot) ? "dust" : purse
  const at = (account: AccountName) => ({ account, owner: event.placement })
  const of = (account: AccountName) => ({ account, owner: event.strategy })
  const balanceOf = (asset: string, account: AccountName) => balance(ledger, asset, account, event.placement)

  switch (event._tag) {
    case "PaymentAsked":
    case "FundingSigned": {
      const { amount, asset } = event
      const swept = home === "dust" ? min(amount, max(0n, balance(ledger, asset, "dust", event.strategy))) : 0n
      return [
        ...move(asset, swept, of("dust"), at("deposit in flight")),
        ...move(asset, amount - swept, of(purse), at("deposit in flight"))
      ]
    }
    case "FundingInDoubt":
      return move(event.asset, event.amount, at("deposit in flight"), at("in doubt"))
    case "PaymentAskedAgain":
      return moveAll(ledger, event.placement, ["in doubt"], at("deposit in flight"))
    case "FundingDead": {
      const doubted = min(event.amount, balanceOf(event.asset, "in doubt"))
      return [
        ...move(event.asset, doubted, at("in doubt"), of(home)),
        ...move(event.asset, event.amount - doubted, at("deposit in flight"), of(home))
      ]
    }
    case "DepositSeen":
      return depositSeen(ledger, event)
    case "FillSeen": {
      const { amountIn, amountOut, inputAsset, outputAsset } = event
      const fee = feeOfMove(event)
      return [
        ...move(inputAsset, fee, at("in order"), of("fees")),
        ...move(inputAsset, amountIn - fee, at("in order"), of("traded")),
        ...move(outputAsset, amountOut, of("traded"), at("filled unpaid"))
      ]
    }
    case "Closed":
      return move(event.inputAsset, event.unspent, at("in order"), at("refund in flight"))
    case "Reopened":
      return [
        ...moveAll(ledger, event.placement, ["refund in flight"], at("in order")),
        ...moveAll(ledger, event.placement, ["payout in flight"], at("filled unpaid"))
      ]
    case "PayoutStarted":
      return move(event.asset, event.amount, at("filled unpaid"), at("payout in flight"))
    case "PaidOut":
    case "Refunded": {
      const place = event._tag === "PaidOut" ? "payout in flight" : "refund in flight"
      const { amount, asset, fee } = event
      // A leg that was recorded as failed has completed after all.
      const residualPart = min(amount + fee, max(0n, balanceOf(asset, "residual")))
      const from = balanceOf(asset, place) === 0n && residualPart === amount + fee ? at("residual") : at(place)
      return [
        ...move(asset, amount, from, of(event._tag === "Refunded" ? home : purse)),
        ...move(asset, fee, from, of("fees"))
      ]
    }
    case "LegFailed":
      return move(event.asset, event.amount, at(`${event.leg} in flight`), at("residual"))
    case "Settled":
      return moveAll(ledger, event.placement, undefined, at("residual"))
    case "TakenBack":
      return takenBack(ledger, event, home)
    case "Resolved":
      return resolved(ledger, event)
    case "WrittenOff":
      return move(event.asset, event.amount, at("residual"), of("lost"))
    case "Found":
      return move(event.asset, event.amount, of("lost"), at("residual"))
    default:
      return []
  }
}

const depositSeen = (ledger: Ledger, event: Of<"DepositSeen">): ReadonlyArray<Transfer> => {
  // The deposit of a payment that was in doubt, or written off, shows after all. The wallet pays for anything beyond: it left without a
  // record of ours (a lost journal tail).
  const { asset, fresh, placement: owner, strategy } = event
  const to = { account: "in order", owner } as const
  const moved: Array<Transfer> = []
  let rest = fresh
  for (const account of ["deposit in flight", "in doubt", "residual"] as const) {
    const amount = min(rest, max(0n, balance(ledger, asset, account, owner)))
    moved.push(...move(asset, amount, { account, owner }, to))
    rest -= amount
  }
  return [...moved, ...move(asset, rest, { account: purseOf(strategy), owner: strategy }, to)]
}

type Moved = Pick<Of<"FillSeen">, "amountIn" | "amountOut" | "inputAsset" | "outputAsset">

/** A swap of an asset into itself is a move, not a trade: the missing amount is the fee of the move. */
export const feeOfMove = ({ amountIn, amountOut, inputAsset, outputAsset }: Moved): Amount =>
  inputAsset === outputAsset ? max(0n, amountIn - amountOut) : 0n

export const feesOfMove = ({ fills, inputAsset, outputAsset }: Of<"TakenBack">): Amount =>
  fills.reduce((sum, fill) => sum + feeOfMove({ ...fill, inputAsset, outputAsset }), 0n)

const move = (asset: string, amount: Amount, from: Transfer["from"], to: Transfer["to"]): ReadonlyArray<Transfer> =>
  amount === 0n ? [] : [{ asset, amount, from, to }]

const moveAll = (
  ledger: Ledger,
  placement: string,
  from: ReadonlyArray<Place> | undefined,
  to: Transfer["to"]
): ReadonlyArray<Transfer> =>
  [...ledger.balances.values()]
    .filter(
      ({ entry }) =>
        entry.owner === placement &&
        (from === undefined ? entry.account !== to.account : from.some((place) => place === entry.account))
    )
    .flatMap(({ entry: { account, asset }, amount }) => move(asset, amount, { account, owner: placement }, to))

/**
 * Puts the whole deposit back into the order and reverses its trades. Money that had returned is taken from fees, from the placement's own
 * accounts, and the rest from the strategy's free money, which may be less by now.
 */
const takenBack = (ledger: Ledger, event: Of<"TakenBack">, home: "wallet" | "dust" | "outside") => {
  const { deposited, fills, inputAsset, outputAsset, payoutFee, placement, refundFee, strategy } = event
  const traded = { account: "traded", owner: strategy } as const
  const inOrder = { account: "in order", owner: placement } as const
  const fetch = (asset: string, wanted: Amount, fee: Amount, place: AccountName, to: Transfer["to"]) => {
    // The money of a move is in one asset, so the first fetch takes all of it.
    const isTaken = inputAsset === outputAsset && to === inOrder
    const own = [...ledger.balances.values()].filter(
      ({ entry }) => !isTaken && entry.owner === placement && entry.asset === asset && entry.account !== "in order"
    )
    const rest = own.reduce((left, { amount }) => left - amount, wanted - fee)
    return [
      ...own.flatMap(({ amount, entry: { account } }) => move(asset, amount, { account, owner: placement }, to)),
      ...move(asset, fee, { account: "fees", owner: strategy }, to),
      ...move(asset, rest, { account: place, owner: strategy }, to)
    ]
  }
  const spent = fills.reduce((sum, { amountIn }) => sum + amountIn, 0n)
  const brought = fills.reduce((sum, { amountOut }) => sum + amountOut, 0n)
  const remainder = deposited - spent - balance(ledger, inputAsset, "in order", placement)
  return [
    ...move(inputAsset, feesOfMove(event), { account: "fees", owner: strategy }, traded),
    ...fetch(outputAsset, brought, payoutFee, purseOf(strategy), traded),
    ...move(inputAsset, spent, traded, inOrder),
    ...fetch(inputAsset, remainder, refundFee, home, inOrder)
  ]
}

/** Books the operator's answer. A forgotten amount stays in `residual` under its placement. */
const resolved = (ledger: Ledger, { placement, strategy, word }: Of<"Resolved">): ReadonlyArray<Transfer> => {
  const unsure: ReadonlyArray<Place> = ["in doubt", "deposit in flight"]
  const wallet = { account: purseOf(strategy), owner: strategy } as const
  switch (word) {
    case "paid":
      return [
        ...moveAll(ledger, placement, ["in doubt"], { account: "deposit in flight", owner: placement }),
        ...moveAll(ledger, placement, ["residual"], wallet)
      ]
    case "not-paid":
      return moveAll(ledger, placement, unsure, wallet)
    case "forget":
      return moveAll(ledger, placement, undefined, { account: "residual", owner: placement })
    case "adopt":
      return []
  }
}

const noteRunning = ({ runs }: Ledger, event: BotEvent): void => {
  if (event._tag === "BotStarted") for (const strategy of runs.keys()) runs.set(strategy, false)
  else if (event._tag === "StrategyLoaded" || event._tag === "StrategyRemoved")
    runs.set(event.strategy, event._tag === "StrategyLoaded")
  else if ("strategy" in event && !hasNoBudget(event.strategy) && !runs.has(event.strategy))
    runs.set(event.strategy, true)
}

export const isGivenBack = (account: AccountName): boolean => again.has(account)

const movedAlong = (ledger: Ledger, route: Route, entries: ReadonlyArray<OwnerAccount>): ReadonlyArray<Transfer> =>
  entries.flatMap(({ asset, account, owner }) => {
    const amount = balance(ledger, asset, account, owner)
    const to = route.get(account)
    return amount === 0n || to === undefined
      ? []
      : [{ asset, amount, from: { account, owner }, to: { account: to, owner } }]
  })

/**
 * Returns free money of an ended strategy to the account, also money that its orders return later. The strategy gets it back when it is
 * loaded again.
 */
const givenBackBy = (ledger: Ledger, event: BotEvent, moved: ReadonlyArray<Transfer>): ReadonlyArray<Transfer> => {
  const isOver = (owner: string) => ledger.runs.get(owner) === false
  const ownedIf = (isMeant: (owner: string) => boolean) =>
    [...ledger.balances.values()].flatMap(({ entry }) => (isMeant(entry.owner) ? [entry] : []))
  switch (event._tag) {
    case "BotStarted":
    case "StrategyRemoved":
      return movedAlong(ledger, back, ownedIf(isOver))
    case "StrategyLoaded":
      return movedAlong(
        ledger,
        again,
        ownedIf((owner) => owner === event.strategy)
      )
    default: {
      if (!("strategy" in event) || !isOver(event.strategy)) return []
      const { strategy: owner } = event
      const assets = [...new Set(moved.map(({ asset }) => asset))]
      const own = assets.flatMap((asset) => [...back.keys()].map((account) => ({ asset, account, owner })))
      return movedAlong(ledger, back, own)
    }
  }
}

export const apply = (ledger: Ledger, event: BotEvent): ReadonlyArray<Transfer> => {
  noteRunning(ledger, event)
  const moved = book(ledger, transfersOf(ledger, event))
  const returned = book(ledger, givenBackBy(ledger, event, moved))
  return returned.length === 0 ? moved : [...moved, ...returned]
}

export const givenBack = ({ balances }: Ledger) => {
  const sums = new Map<string, { readonly asset: string; readonly strategy: string; readonly amount: Amount }>()
  for (const { entry, amount } of balances.values()) {
    if (!isGivenBack(entry.account)) continue
    const { asset, owner: strategy } = entry
    const key = keyOf(asset, "given back", strategy)
    sums.set(key, { asset, strategy, amount: amount + (sums.get(key)?.amount ?? 0n) })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

export const givenBackOf = (ledger: Ledger, asset: string): Amount =>
  givenBack(ledger).reduce((sum, each) => (each.asset === asset ? sum + each.amount : sum), 0n)

export const freeOf = (ledger: Ledger, strategy: string, asset: string): Amount =>
  balance(ledger, asset, "wallet", strategy)

/** Amount that legs of the strategy left unsold, less the amount that one of its orders sells now. */
export const dustOf = (ledger: Ledger, strategy: string, asset: string): Amount =>
  balance(ledger, asset, "dust", strategy)

/**
 * All that a strategy has of an asset in any place, `residual` included. Computed from the counter accounts, without a pass over the
 * placements.
 */
export const ownedBy = (ledger: Ledger, strategy: string, asset: string): Amount =>
  counters.reduce((owned, account) => owned - balance(ledger, asset, account, strategy), 0n)

const counters = ["outside", "given back", "dust given back", "traded", "fees", "lost"] as const

export const without = ({ balances, runs }: Ledger, placements: ReadonlySet<string>): Ledger => ({
  runs,
  balances: new Map([...balances].filter(([, { entry }]) => !placements.has(entry.owner)))
})

export const broughtByFirstOrders = (ledger: Ledger, asset: string): Amount =>
  balance(ledger, asset, "outside", firstOrder)

/** Net amount that swaps by hand and first orders brought to the account. */
export const broughtByHand = (ledger: Ledger, asset: string): Amount =>
  balance(ledger, asset, "outside", byHand) + broughtByFirstOrders(ledger, asset)

export const heldBy = (ledger: Ledger, placement: string, asset: string, place: Place): Amount =>
  balance(ledger, asset, place, placement)

export const holdingsOf = (ledger: Ledger, placement: string): ReadonlyMap<string, Amount> => {
  const holdings = new Map<string, Amount>()
  for (const { entry, amount } of ledger.balances.values())
    if (entry.owner === placement) holdings.set(entry.asset, (holdings.get(entry.asset) ?? 0n) + amount)
  return holdings
}

export const unexplainedOf = ({ balances }: Ledger, placement: string): ReadonlyMap<string, Amount> =>
  new Map(
    [...balances.values()].flatMap(({ amount, entry }) =>
      entry.owner === placement && entry.account === "residual" ? [[entry.asset, amount] as const] : []
    )
  )

export const isUnexplained = (ledger: Ledger, placement: string): boolean => unexplainedOf(ledger, placement).size > 0

export type PlaceBalance = Readonly<ReturnType<typeof totals>[number]>

/** In the order of `places`, assets alphabetical, without zero balances. */
export const totals = (ledger: Ledger) => {
  const sums = new Map<string, Map<AccountName, Amount>>()
  for (const { entry, amount } of ledger.balances.values()) {
    const ofAsset = sums.get(entry.asset) ?? new Map<AccountName, Amount>()
    ofAsset.set(entry.account, (ofAsset.get(entry.account) ?? 0n) + amount)
    sums.set(entry.asset, ofAsset)
  }
  return [...sums.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([asset, ofAsset]) =>
      places.flatMap((place) => {
        const amount = ofAsset.get(place) ?? 0n
        return amount === 0n ? [] : [{ asset, place, amount }]
      })
    )
}
