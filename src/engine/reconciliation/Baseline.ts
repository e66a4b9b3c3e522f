/**
 * What the balances are compared with, from look to look, and what moved the account's own capital meanwhile: a credit without
 * an origin that its history names, or what a person accepts. Such capital is an event first (`CapitalMoved`), and the baseline
 * takes each event in once, by its name, so a process that dies in between counts nothing twice. Less money is never taken for
 * capital that went without a person's word.
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
  /** When a person last said that the balances are right as they are; zero: never. */
  readonly acceptedAt: number
  /** What moved by that word, by asset. */
  readonly accepted: ReadonlyMap<string, Amount.Amount>
  /** Names of the capital that the positions have in them. */
  readonly included: ReadonlySet<string>
}

/** Nothing was compared yet. */
export const isNew = BalanceStore.use(({ last }) => Effect.map(last, (snapshot) => snapshot === undefined))

/** Beside the symbols, which have no spaces. */
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

/** What a person accepted, as events that are not recorded yet. */
const acceptedIn = ({ accepted, acceptedAt }: Stored, capital: ReadonlyArray<Capital>): ReadonlyArray<Capital> => {
  const recorded = new Set(capital.map(({ name }) => name))
  return [...accepted].flatMap(([asset, amount]) => {
    const name = nameOfAccepted(acceptedAt, asset)
    return recorded.has(name) ? [] : [{ _tag: "CapitalMoved", asset, amount, witness: "operator", name } as const]
  })
}

/** The same for whoever writes the journal. */
export const toRecord = ({ capital }: Pick<BotState, "capital">) =>
  Effect.map(stored, (known) => acceptedIn(known, capital))

/** What is not in the journal yet: a look beside this one may have found the same. */
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

interface Compared {
  readonly comparisons: ReadonlyArray<Comparison.Comparison>
  /** By asset: so much at least, and at most, came more than is explained; below zero: went. */
  readonly unexplained: BalanceComparison.Unexplained
}

/**
 * Compares the balances with what earlier looks left possible, and keeps what is possible now. `isAccepted`: a person says that
 * they are right as they are; what moved by that is recorded by whoever writes the journal (`toRecord`).
 */
export const compare = Effect.fn("Baseline.compare")(function* (
  now: BalanceComparison.Positions,
  { capital }: Pick<BotState, "capital">,
  { isAccepted = false }: { readonly isAccepted?: boolean } = {}
) {
  const known = yield* stored
  const shiftedBy = capital.filter(({ name }) => !known.included.has(name))
  const before = BalanceComparison.withArrivals(shifted(known.positions, shiftedBy), now)
  const included = [...known.included, ...capital.map(({ name }) => name)]
  const unexplained = BalanceComparison.unexplained(before, now)
  if (!isAccepted) {
    yield* store({ ...known, positions: BalanceComparison.baseline(before, now), included: new Set(included) })
    return { comparisons: BalanceComparison.compare(before, now), unexplained } satisfies Compared
  }
  const acceptedAt = yield* Clock.currentTimeMillis
  const accepted = new Map(acceptedIn(known, capital).map(({ amount, asset }) => [asset, amount]))
  for (const [asset, { least }] of unexplained) accepted.set(asset, (accepted.get(asset) ?? 0n) + least)
  const names = [...accepted.keys()].map((asset) => nameOfAccepted(acceptedAt, asset))
  yield* store({ positions: now, acceptedAt, accepted, included: new Set([...included, ...names]) })
  const comparisons = BalanceComparison.compare(undefined, now).map((each) => {
    const amount = unexplained.get(each.subject)?.least
    return amount === undefined ? each : { ...each, text: acceptedText(amount) }
  })
  return { comparisons, unexplained: new Map() } satisfies Compared
})

const acceptedText = (amount: Amount.Amount): string =>
  amount > 0n
    ? `${amount} came without an origin, and is capital that came by your word`
    : `${-amount} LEFT the account without an origin, and is capital that went by your word`

/**
 * What was told before and stays: contradictions about subjects on which this look decides nothing. What was said of balances
 * is taken back by a person's word that is younger as well.
 */
export const stillTold = Effect.fnUntraced(function* (
  { contradictions, at }: NonNullable<BotState["reconciled"]>,
  isDecided: (subject: string) => boolean
) {
  const kept = contradictions.filter((sentence) => !isDecided(Comparison.subjectOf(sentence)))
  const isOfBalance = (sentence: string): boolean => sentence.startsWith("balance ")
  if (!kept.some(isOfBalance)) return kept
  const { acceptedAt } = yield* stored
  return kept.filter((sentence) => !isOfBalance(sentence) || acceptedAt < at)
})

/** The newest pages of an account's history; a credit that is older than all of these stays told. */
const [pageSize, mostPages] = [100, 5]

/** Credits of this account without an origin, newest first. */
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
  /** Why the history that could name what came was not read. */
  readonly unread?: string
}

/**
 * Which credits of the account's own history explain what came, wholly: one of them, or the newest ones together. The history
 * may be refused or not readable: a witness that is missing proves nothing.
 */
export const named = Effect.fn("Baseline.named")(function* (
  unexplained: BalanceComparison.Unexplained,
  { capital }: Pick<BotState, "capital">,
  own: ReadonlySet<string>,
  markets: Markets
) {
  const came = [...unexplained].filter(([asset]) => hasCome(unexplained, asset))
  if (came.length === 0) return { capital: [] } satisfies Named
  const read = yield* Effect.result(creditsOf(own, markets))
  if (Result.isFailure(read)) return { capital: [], unread: read.failure.message } satisfies Named
  const recorded = new Set(capital.map(({ name }) => name))
  const found = came.flatMap(([symbol, { least, most }]): ReadonlyArray<Capital> => {
    const candidates = read.success.filter(({ asset, name }) => asset === symbol && !recorded.has(name))
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
  return { capital: found } satisfies Named
})
