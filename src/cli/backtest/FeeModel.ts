/**
 * Which fees a backtest uses, and why: those of the flags; otherwise those that the configuration's own journal
 * measured; otherwise the venue's by its specification. The reason is printed before any figure.
 */
import { Effect, FileSystem, Option } from "effect"
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import { WrongUsage } from "../Usage.ts"

/** The specification's fee for requests without a partner credential. */
export const platformBasisPoints = 20

export interface FeeModel {
  readonly basisPoints: number
  readonly from: "flag" | "measured" | "partner credential" | "specification"
  readonly sentence: string
  /** The user wanted a result without fees, which no venue gives. */
  readonly isFree: boolean
}

/** With the measured fees of one payout and one refund, smallest units by symbol. */
interface Fees {
  readonly fees: FeeModel
  readonly payouts: ReadonlyMap<string, Amount>
  readonly refunds: ReadonlyMap<string, Amount>
}

interface FeeFlags {
  readonly feeBps: Option.Option<number>
  readonly withdrawFee: Option.Option<string>
  readonly refundFee: Option.Option<string>
}

const none: ReadonlyMap<string, Amount> = new Map()

/** What the journal of the configuration has measured; nothing without a configuration, or with too few fills. */
const measuredIn = Effect.fnUntraced(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  if (!(yield* fileSystem.exists(journal).pipe(Effect.orElseSucceed(() => false)))) return undefined
  const JournalData = yield* Effect.promise(() => import("../journal/JournalData.ts"))
  return yield* JournalData.fees(journal)
})

const oneOf = (what: string, fees: ReadonlyMap<string, Amount>, markets: ReadonlyArray<Market>): string | undefined => {
  const assets = [...new Set([...markets.map(({ base }) => base), ...markets.map(({ quote }) => quote)])]
  const known = assets.flatMap((asset) => {
    const fee = fees.get(asset.symbol)
    return fee === undefined ? [] : [formatWithSymbol(fee, asset)]
  })
  return known.length === 0 ? undefined : `${known.join(" and ")} of a ${what}`
}

export const of = Effect.fn("FeeModel.of")(function* (
  { feeBps, refundFee, withdrawFee }: FeeFlags,
  config: Option.Option<string>,
  markets: ReadonlyArray<Market>
) {
  const isGiven = Option.isSome(withdrawFee) || Option.isSome(refundFee)
  const assumed = isGiven ? "and those of payouts as given" : "without those of payouts and refunds"
  const plain = (basisPoints: number, from: FeeModel["from"], why: string): Fees => {
    const isFree = from === "flag" && basisPoints === 0 && !isGiven
    const sentence = isFree
      ? "NO FEES: asked for by --fee-bps 0"
      : `fees: ${basisPoints} basis points of every fill (${why}), ${assumed}`
    return { fees: { basisPoints, from, sentence, isFree }, payouts: none, refunds: none }
  }
  if (Option.isSome(feeBps)) return plain(feeBps.value, "flag", "--fee-bps")
  if (Option.isNone(config)) return plain(platformBasisPoints, "specification", specified)
  const { loadSettings } = yield* Effect.promise(() => import("../files/ConfigFile.ts"))
  const { journal, venue } = yield* loadSettings(config.value)
  const measured = yield* measuredIn(journal)
  if (measured !== undefined) {
    const { basisPoints, fills, payouts, refunds } = measured
    const flat = [oneOf("payout", payouts, markets), oneOf("refund", refunds, markets)].filter(
      (each) => each !== undefined
    )
    const others = isGiven || flat.length === 0 ? assumed : flat.join(", ")
    const sentence = `fees: ${basisPoints} basis points of every fill (measured: ${fills} fills in ${journal}), ${others}`
    return { fees: { basisPoints, from: "measured", sentence, isFree: false }, payouts, refunds } satisfies Fees
  }
  return venue.hasPartner
    ? plain(0, "partner credential", `the partner credential of ${config.value} waives them`)
    : plain(platformBasisPoints, "specification", specified)
})

/** What the sandbox's solvers keep apart; nothing is published of the venue's. */
export const sandboxSpreadBasisPoints = 10
const mostSpreadBasisPoints = 5000

/** What lies between bid and ask: as given, else as the configuration's bot was quoted, else as in the sandbox. */
export const spreadOf = Effect.fn("FeeModel.spreadOf")(function* (
  given: Option.Option<number>,
  config: Option.Option<string>,
  market: string
) {
  if (Option.isSome(given)) {
    const basisPoints = given.value
    if (basisPoints >= 0 && basisPoints <= mostSpreadBasisPoints) return { basisPoints, isKnown: true }
    const message = `--spread-bps ${basisPoints}: give 0 to ${mostSpreadBasisPoints} basis points, from bid to ask`
    return yield* new WrongUsage({ message })
  }
  const assumed = { basisPoints: sandboxSpreadBasisPoints, isKnown: false }
  if (Option.isNone(config)) return assumed
  const { loadSettings } = yield* Effect.promise(() => import("../files/ConfigFile.ts"))
  const { journal, venue } = yield* loadSettings(config.value)
  const fileSystem = yield* FileSystem.FileSystem
  if (!(yield* fileSystem.exists(journal).pipe(Effect.orElseSucceed(() => false)))) return assumed
  const JournalData = yield* Effect.promise(() => import("../journal/JournalData.ts"))
  const measured = yield* JournalData.spreads(journal, venue.hasPartner ? 0 : platformBasisPoints)
  const basisPoints = measured.get(market)
  return basisPoints === undefined ? assumed : { basisPoints, isKnown: true }
})

const specified = "the venue's, without a partner credential"
