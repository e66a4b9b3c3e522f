/**
 * Keeps the baseline of the balances between comparisons, and the movements of the account's own capital. Such a movement is a credit
 * without an origin that its history names, or an amount that a person accepts. It is an event first (`CapitalMoved`). The baseline
 * includes each event once, by its name, so a process that dies in between counts nothing twice. A lower balance never counts as withdrawn
 * capital without a person's approval.
 */
import { Clock, Effect, Result } from "effect"
import * as Amount from "../../domain/Amount.ts"
import type { Of } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { plainJson } from "../../domain/Text.ts"
import { BalanceStore, type Snapshot } from "../../journal/HistoryStore.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { History } from "../../venue/History.ts"
import type { AccountEntry } from "../../venue/wire/HistoryEntry.ts"
import type { BotState } from "../state/BotState.ts"
import * as BalanceComparison from "./BalanceComparison.ts"
import * as Comparison from "./Comparison.ts"

type Capital = Of<"CapitalMoved">

interface Stored {
  readonly positions: BalanceComparison.Positions
  /** Time at which a person last confirmed the balances; zero means never. */
  readonly acceptedAt: number
  readonly accepted: ReadonlyMap<string, Amount.Amount>
  readonly included: ReadonlySet<string>
}

export const isNew = BalanceStore.use(({ last }) => Effect.map(last, (snapshot) => snapshot === undefined))

const [acceptance, acceptedOf, inclusion] = ["accepted at", "accepted ", "capital in it"]

const storedIn = (snapshot: Snapshot = {}): Stored => {
  const entries = Object.entries(snapshot)
  return {
    positions: new Map(entries.flatMap(([symbol, text]) => decode(symbol, text))),
    acceptedAt: Number(snapshot[acceptance] ?? 0),
    accepted: new Map(
      entries.flatMap(([key, text]) =>
        key.startsWith(acceptedOf) && key !== acceptance ? [[key.slice(acceptedOf.length), BigInt(text)] as const] : []
      )
    ),
    included: new Set((snapshot[inclusion] ?? "").split("\n"))
  }
}

const stored = BalanceStore.use(({ last }) => Effect.map(last, storedIn))

const decode = (symbol: string, text: string): ReadonlyArray<readonly [string, BalanceComparison.Position]> => {
  if (symbol.includes(" ")) return []
  const [balance, booked, underWay] = text.split(" ")
  return balance === undefined || booked === undefined || underWay === undefined
    ? []
    : [[symbol, { balance: BigInt(balance), booked: BigInt(booked), underWay: BigInt(underWay) }]]
}

const store = ({ accepted, acceptedAt, included, positions }: Stored) =>
  BalanceStore.use(({ save }) =>
    save(
      Object.fromEntries([
        ...[...positions].map(([symbol, { balance, booked, underWay }]) => [
          symbol,
          `${balance} ${booked} ${underWay}`
        ]),
        ...[...accepted].map(([symbol, amount]) => [`${acceptedOf}${symbol}`, String(amount)]),
        [acceptance, String(acceptedAt)],
        [inclusion, [...included].join("\n")]
      ])
    )
  )

const nameOfAccepted = (at: number, asset: string): string => `accepted ${at} ${asset}`

const acceptedIn = ({ accepted, acceptedAt }: Stored, capital: ReadonlyArray<Capital>): ReadonlyArray<Capital> => {
  const recorded = new Set(capital.map(({ name }) => name))
  return [...accepted].flatMap(([asset, amount]) => {
    const name = nameOfAccepted(acceptedAt, asset)
    return recorded.has(name) ? [] : [{ _tag: "CapitalMoved", asset, amount, witness: "operator", name } as const]
  })
}

export const toRecord = ({ capital }: Pick<BotState, "capital">) =>
  Effect.map(stored, (known) => acceptedIn(known, capital))

/** Leaves out capital that a concurrent comparison has recorded already. */
export const unrecorded =
  (found: ReadonlyArray<Capital>) =>
  ({ capital }: Pick<BotState, "capital">): ReadonlyArray<Capital> =>
    found.filter(({ name }) => !capital.some((known) => known.name === name))

const shifted = (positions: BalanceComparison.Positions, capital: ReadonlyArray<Capital>) =>
  new Map(
    [...positions].map(([symbol, position]) => {
      const came = capital.reduce((sum, { amount, asset }) => (asset === symbol ? sum + amount : sum), 0n)
      return [symbol, { ...position, balance: position.balance + came }] as const
    })
  )

/**
 * Compares the balances with the range that earlier comparisons left possible, and stores the new range. With `isAccepted` a person
 * confirms the balances as they are; the writer of the journal then records the movement (`toRecord`).
 */
export const compare = Effect.fn("Baseline.compare")(function* (
  seen: BalanceComparison.Positions,
  { capital }: Pick<BotState, "capital">,
  { isAccepted = false }: { readonly isAccepted?: boolean } = {}
) {
  const baseline = yield* stored
  const shiftedBy = capital.filter(({ name }) => !baseline.included.has(name))
  const before = shifted(baseline.positions, shiftedBy)
  const arrivals = BalanceComparison.arrivals(before, seen)
  const now = new Map([...seen, ...arrivals])
  const included = [...baseline.included, ...capital.map(({ name }) => name)]
  const unexplained = BalanceComparison.unexplained(before, now)
  if (!isAccepted) {
    const positions = new Map([...BalanceComparison.baseline(before, now), ...arrivals])
    yield* store({ ...baseline, positions, included: new Set(included) })
    return { comparisons: BalanceComparison.compare(before, now), unexplained }
  }
  const acceptedAt = yield* Clock.currentTimeMillis
  const accepted = new Map(acceptedIn(baseline, capital).map(({ amount, asset }) => [asset, amount]))
  for (const [asset, { least }] of unexplained) accepted.set(asset, (accepted.get(asset) ?? 0n) + least)
  const names = [...accepted.keys()].map((asset) => nameOfAccepted(acceptedAt, asset))
  yield* store({ positions: seen, acceptedAt, accepted, included: new Set([...included, ...names]) })
  const comparisons = BalanceComparison.compare(undefined, now).map((each) => {
    const amount = unexplained.get(each.subject)?.least
    return amount === undefined ? each : { ...each, text: acceptedText(amount) }
  })
  return { comparisons, unexplained: new Map<string, never>() }
})

const acceptedText = (amount: Amount.Amount): string =>
  amount > 0n
    ? `${amount} arrived from an unknown source, accepted by you as capital`
    : `${-amount} LEFT the account for an unknown reason, accepted by you as withdrawn capital`

/** Earlier contradictions that this comparison does not decide. Those about balances end when a person has confirmed the balances. */
export const stillTold = Effect.fnUntraced(function* (
  { contradictions, at }: NonNullable<BotState["reconciled"]>,
  isDecided: (subject: string) => boolean
) {
  const openContradictions = contradictions.filter((sentence) => !isDecided(Comparison.subjectOf(sentence)))
  const isOfBalance = (sentence: string): boolean => sentence.startsWith("balance ")
  if (!openContradictions.some(isOfBalance)) return openContradictions
  const { acceptedAt } = yield* stored
  return openContradictions.filter((sentence) => !isOfBalance(sentence) || acceptedAt < at)
})

/** Newest pages of an account's history. A credit that is older stays reported. */
const [pageSize, mostPages] = [100, 5]

const creditsOf = Effect.fnUntraced(function* (own: ReadonlySet<string>, { assets }: Markets) {
  const history = yield* History
  const entries: Array<AccountEntry> = []
  let prevCursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const { value } = yield* history.account({ limit: pageSize, ...(prevCursor === undefined ? {} : { prevCursor }) })
    entries.push(...value.items)
    prevCursor = value.items.length === 0 ? undefined : value.prevCursor
    if (prevCursor === undefined) break
  }
  return entries.flatMap(({ item }): ReadonlyArray<Capital> => {
    const asset = assets.find(({ id }) => id === item.destinationAsset)
    const isOwn = item.recipient === undefined || own.has(item.recipient)
    const hasOrigin = item.originAsset !== undefined || (item.quoteTransactions ?? []).length > 0
    const isPublic = item.recipientType !== undefined && item.recipientType !== "CONFIDENTIAL_INTENTS"
    if (asset === undefined || item.status !== "SUCCESS" || !isOwn || hasOrigin || isPublic) return []
    const value = Decimal.parse(item.amountOutFormatted ?? "")
    const amount = value === undefined ? undefined : Amount.fromDecimal(value, asset.decimals)
    if (amount === undefined || amount <= 0n) return []
    const name = plainJson([item.createdAt ?? null, item.depositAddress ?? null, item.depositMemo ?? null])
    return [{ _tag: "CapitalMoved", asset: asset.symbol, amount, witness: "history", name }]
  })
})

export const hasCome = (unexplained: BalanceComparison.Unexplained, asset: string): boolean =>
  (unexplained.get(asset)?.least ?? 0n) > 0n

interface Named {
  readonly capital: ReadonlyArray<Capital>
  readonly unread?: string
}

/** Finds credits in the account's history that explain the whole arrival: one of them, or the newest ones together. */
export const nameArrivals = Effect.fn("Baseline.named")(function* (
  unexplained: BalanceComparison.Unexplained,
  { capital }: Pick<BotState, "capital">,
  own: ReadonlySet<string>,
  markets: Markets
) {
  const came = [...unexplained].filter(([asset]) => hasCome(unexplained, asset))
  if (came.length === 0) return { capital: [] } satisfies Named
  const credits = yield* Effect.result(creditsOf(own, markets))
  if (Result.isFailure(credits)) return { capital: [], unread: credits.failure.message } satisfies Named
  const recorded = new Set(capital.map(({ name }) => name))
  const newCapital = came.flatMap(([symbol, { least, most }]): ReadonlyArray<Capital> => {
    const candidates = credits.success.filter(({ asset, name }) => asset === symbol && !recorded.has(name))
    const fits = (sum: Amount.Amount): boolean => sum >= least && sum <= most
    const single = candidates.find(({ amount }) => fits(amount))
    if (single !== undefined) return [single]
    let sum = 0n
    for (const [index, { amount }] of candidates.entries()) {
      sum += amount
      if (fits(sum)) return candidates.slice(0, index + 1)
    }
    return []
  })
  return { capital: newCapital } satisfies Named
})
