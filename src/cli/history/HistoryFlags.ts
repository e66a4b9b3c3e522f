/** The filters of the partner's history as flags, each with the interface's meaning. */
import { Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { ChainId, type TransactionPagesQuery } from "../../venue/api/HistoryApi.ts"
import { transactionStatuses } from "../../venue/wire/WireHistory.ts"
import { type LedgerName, ledgers, TimestampText } from "../../venue/wire/WireValue.ts"

const several = <A>(flag: Flag.Flag<A>) => Flag.between(flag, 0, 50)
const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)
const NotNegative = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const usd = (name: string, description: string) =>
  Flag.Finite(name).pipe(Flag.withSchema(NotNegative), Flag.withDescription(description), Flag.optional)
const time = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withSchema(TimestampText), Flag.withDescription(description), Flag.optional)
const chain = (name: string, description: string) =>
  several(
    Flag.String(name).pipe(
      Flag.withSchema(ChainId),
      Flag.withDescription(`${description}, such as eth or sol; may be repeated: any of them`)
    )
  )
const token = (name: string, description: string) =>
  several(Flag.String(name).pipe(Flag.withDescription(`${description}; may be repeated: any of them`)))

export const filters = {
  search: text("search", "Deposit address, recipient, sender or transaction hash"),
  fromChain: chain("from-chain", "Chain that was paid from"),
  toChain: chain("to-chain", "Chain that was paid to"),
  fromToken: token("from-token", "Asset that was paid; goes before --from-chain"),
  toToken: token("to-token", "Asset that was received; goes before --to-chain"),
  depositMemo: text("deposit-memo", "Narrows a search by deposit address"),
  referral: text("referral", "Referral"),
  affiliate: text("affiliate", "Affiliate stored in the fees"),
  status: several(
    Flag.Literals("status", transactionStatuses).pipe(
      Flag.withDescription("May be repeated; default: all but PENDING_DEPOSIT and INCOMPLETE_DEPOSIT")
    )
  ),
  showTestTxs: Flag.Boolean("show-test").pipe(
    Flag.withDescription("Include transactions of test accounts"),
    Flag.withDefault(false)
  ),
  minUsd: usd("min-usd", "Least value of both sides"),
  maxUsd: usd("max-usd", "Most value of both sides"),
  start: time("start", "After this time (exclusive), ISO 8601"),
  end: time("end", "Before this time (exclusive), ISO 8601"),
  startUnix: Flag.Finite("start-unix").pipe(Flag.withDescription("As --start, Unix time"), Flag.optional),
  endUnix: Flag.Finite("end-unix").pipe(Flag.withDescription("As --end, Unix time"), Flag.optional)
}

const isLedger = Schema.is(Schema.Literals(ledgers))

type Value<P> = P extends Flag.Flag<infer A> ? A : never
export type Filters = { readonly [K in keyof typeof filters]: Value<(typeof filters)[K]> }

/** The filters in the interface's form, with the configured spelling of the home ledger; missing ones are omitted. */
export const queryOf = (given: Filters, ledger: LedgerName): Omit<TransactionPagesQuery, "page" | "perPage"> =>
  present({
    search: Option.getOrUndefined(given.search),
    fromChainId: unlessEmpty(given.fromChain.map((chain) => (isLedger(chain) ? ledger : chain))),
    toChainId: unlessEmpty(given.toChain.map((chain) => (isLedger(chain) ? ledger : chain))),
    fromTokenId: unlessEmpty(given.fromToken),
    toTokenId: unlessEmpty(given.toToken),
    depositMemo: Option.getOrUndefined(given.depositMemo),
    referral: Option.getOrUndefined(given.referral),
    affiliate: Option.getOrUndefined(given.affiliate),
    statuses: unlessEmpty(given.status)?.join(","),
    showTestTxs: given.showTestTxs ? "true" : undefined,
    minUsdPrice: Option.getOrUndefined(given.minUsd),
    maxUsdPrice: Option.getOrUndefined(given.maxUsd),
    startTimestamp: Option.getOrUndefined(given.start),
    endTimestamp: Option.getOrUndefined(given.end),
    startTimestampUnix: Option.getOrUndefined(given.startUnix),
    endTimestampUnix: Option.getOrUndefined(given.endUnix)
  })

export const unlessEmpty = <A>(values: ReadonlyArray<A>) => (values.length === 0 ? undefined : values)

type Present<R> = { readonly [K in keyof R]?: Exclude<R[K], undefined> }

/** Removes empty keys. */
export const present = <R extends object>(record: R): Present<R> =>
  // Only keys are removed.
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Present<R>
