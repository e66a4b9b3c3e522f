/**
 * Which fees and which spread a backtest uses, and why: those of the flags; otherwise those that the configuration's own
 * journal measured; otherwise the venue's by its specification and the sandbox's spread. The reasons are printed before any
 * figure. Configuration and journal are read once, for all markets and files.
 */
import { Effect, FileSystem, Option } from "effect"
import type * as MeasuredFees from "../../backtest/results/MeasuredFees.ts"
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import type { OrderTerms } from "../../domain/Order.ts"
import { defaultSpread } from "../../sandbox/core/Settings.ts"
import { chargesOf, isPartner, totalOf, usualOf } from "../../venue/profile/Charges.ts"
import * as document from "../../venue/profile/document.ts"
import type { VenueFacts } from "../../venue/profile/Facts.ts"
import { WrongUsage } from "../Usage.ts"

/** Without a configuration: the schedule of the interface document, without a partner's credential. */
const documented = { schedule: document.factsOf("any").fees, isPartner: false }

/** Nothing is published of the venue's. */
export const sandboxSpreadBasisPoints = defaultSpread * 10_000
const mostSpreadBasisPoints = 5000

export interface FeeModel {
  /** Taken from the output of every fill. */
  readonly basisPoints: number
  /** Taken from every input, app fees of the strategy's terms included; 0 where those are all that is. */
  readonly ofInput: number
  readonly from: "flag" | "measured" | "partner credential" | "specification" | "schedule"
  readonly sentence: string
  /** The user wanted a result without fees, which no venue gives. */
  readonly isFree: boolean
}

/** From bid to ask. */
interface Spread {
  readonly basisPoints: number
  readonly from: "flag" | "measured" | "sandbox"
}

/** With the spread by market, and the measured fees of one payout and one refund, smallest units by symbol. */
export interface KnownCosts {
  readonly fees: FeeModel
  readonly spreads: ReadonlyMap<string, Spread>
  readonly payouts: ReadonlyMap<string, Amount>
  readonly refunds: ReadonlyMap<string, Amount>
}

interface CostFlags {
  readonly feeBps: Option.Option<number>
  readonly spreadBps: Option.Option<number>
  readonly withdrawFee: Option.Option<string>
  readonly refundFee: Option.Option<string>
}

/** What a configuration and its journal say of costs. */
export interface Account {
  readonly config: string
  readonly journal: string
  /** Whether orders are a partner's. */
  readonly isPartner: boolean
  readonly schedule: VenueFacts["fees"]
  /** `undefined`: too few fills. */
  readonly fees: MeasuredFees.MeasuredFees | undefined
  readonly spreads: ReadonlyMap<string, number>
}

const none: ReadonlyMap<string, never> = new Map<string, never>()

/** `undefined` without a configuration. Loaded on demand: most runs have none. */
export const accountOf = Effect.fn("FeeModel.accountOf")(function* (config: Option.Option<string>) {
  if (Option.isNone(config)) return undefined
  const { loadSettings } = yield* Effect.promise(() => import("../files/ConfigFile.ts"))
  const { journal, venue } = yield* loadSettings(config.value)
  const schedule = venue.facts.fees
  const known = { config: config.value, journal, isPartner: isPartner(venue.facts, venue.hasPartner), schedule }
  const fileSystem = yield* FileSystem.FileSystem
  const isThere = yield* fileSystem.exists(journal).pipe(Effect.orElseSucceed(() => false))
  if (!isThere) return { ...known, fees: undefined, spreads: none } satisfies Account
  const JournalData = yield* Effect.promise(() => import("../journal/JournalData.ts"))
  const measured = yield* JournalData.costs(journal, usualOf(schedule, known.isPartner))
  return { ...known, ...measured } satisfies Account
})

const oneOf = (what: string, fees: ReadonlyMap<string, Amount>, markets: ReadonlyArray<Market>): string | undefined => {
  const assets = [...new Set([...markets.map(({ base }) => base), ...markets.map(({ quote }) => quote)])]
  const known = assets.flatMap((asset) => {
    const fee = fees.get(asset.symbol)
    return fee === undefined ? [] : [formatWithSymbol(fee, asset)]
  })
  return known.length === 0 ? undefined : `${known.join(" and ")} of a ${what}`
}

/**
 * What a schedule that shares app fees takes of every input: of the dearest of the markets, in whole basis points, as orders
 * echo it. Every other schedule takes its fee from what is paid out.
 */
const ofInputs = (
  known: Pick<Account, "isPartner" | "schedule">,
  markets: ReadonlyArray<Market>,
  { appFees = [] }: OrderTerms
): number =>
  known.schedule.appFees === "added"
    ? 0
    : Math.max(
        ...markets.map(({ base, quote }) =>
          Math.floor(
            totalOf(
              chargesOf(known.schedule, { hasPartner: known.isPartner, assets: [base.symbol, quote.symbol], appFees })
            )
          )
        )
      )

const feesOf = (
  { feeBps, refundFee, withdrawFee }: CostFlags,
  account: Account | undefined,
  markets: ReadonlyArray<Market>,
  terms: OrderTerms
): Omit<KnownCosts, "spreads"> => {
  const isGiven = Option.isSome(withdrawFee) || Option.isSome(refundFee)
  const assumed = isGiven ? "and those of payouts as given" : "without those of payouts and refunds"
  const known = account ?? documented
  const usual = usualOf(known.schedule, known.isPartner)
  const ofInput = Option.isSome(feeBps) ? 0 : ofInputs(known, markets, terms)
  const who = known.isPartner ? "with a partner credential" : "without a partner credential"
  const inputs = `fees: ${ofInput} basis points of every input (the schedule of ${account?.config}, ${who})`
  const plain = (basisPoints: number, from: FeeModel["from"], why: string): Omit<KnownCosts, "spreads"> => {
    const isFree = from === "flag" && basisPoints === 0 && !isGiven
    const taken = ofInput > 0 ? inputs : `fees: ${basisPoints} basis points of every fill (${why})`
    const sentence = isFree ? "NO FEES: asked for by --fee-bps 0" : `${taken}, ${assumed}`
    return { fees: { basisPoints, ofInput, from, sentence, isFree }, payouts: none, refunds: none }
  }
  if (Option.isSome(feeBps)) return plain(feeBps.value, "flag", "--fee-bps")
  if (account?.fees === undefined) {
    if (ofInput > 0) return plain(0, "schedule", "")
    return account?.isPartner === true && usual === 0
      ? plain(0, "partner credential", `the partner credential of ${account.config} waives them`)
      : plain(usual, "specification", `the venue's, ${who}`)
  }
  const { basisPoints, fills, payouts, refunds } = account.fees
  const flat = [oneOf("payout", payouts, markets), oneOf("refund", refunds, markets)].filter(
    (each) => each !== undefined
  )
  const others = isGiven || flat.length === 0 ? assumed : flat.join(", ")
  const measured = `${basisPoints} basis points of every fill (measured: ${fills} fills in ${account.journal})`
  const sentence = `${ofInput > 0 ? `${inputs}, ` : "fees: "}${measured}, ${others}`
  return { fees: { basisPoints, ofInput, from: "measured", sentence, isFree: false }, payouts, refunds }
}

const spreadIn = (given: Option.Option<number>, account: Account | undefined, { name }: Market): Spread => {
  if (Option.isSome(given)) return { basisPoints: given.value, from: "flag" }
  const measured = account?.spreads.get(name)
  return measured === undefined
    ? { basisPoints: sandboxSpreadBasisPoints, from: "sandbox" }
    : { basisPoints: measured, from: "measured" }
}

const why: Readonly<Record<Spread["from"], string>> = {
  flag: "--spread-bps",
  measured: "measured",
  sandbox: "as the sandbox's solvers keep"
}

/** Such as "spread: 10 basis points (as the sandbox's solvers keep)"; by market where there are several. */
const spreadsSaid = (spreads: ReadonlyMap<string, Spread>): string => {
  const each = [...spreads].map(([market, { basisPoints, from }]) => {
    const said = `${Number(basisPoints.toFixed(2))} basis points (${why[from]})`
    return { said, named: `${said} in ${market}` }
  })
  const alike = new Set(each.map(({ said }) => said))
  return `spread: ${alike.size === 1 ? [...alike].join() : each.map(({ named }) => named).join(", ")}`
}

/** In all markets of a strategy. */
export const of = Effect.fn("FeeModel.of")(function* (
  flags: CostFlags,
  account: Account | undefined,
  markets: ReadonlyArray<Market>,
  terms: OrderTerms = {}
) {
  const given = Option.getOrElse(flags.spreadBps, () => 0)
  if (given < 0 || given > mostSpreadBasisPoints) {
    const message = `--spread-bps ${given}: give 0 to ${mostSpreadBasisPoints} basis points, from bid to ask`
    return yield* new WrongUsage({ message })
  }
  const { fees, ...flat } = feesOf(flags, account, markets, terms)
  const spreads = new Map(markets.map((market) => [market.name, spreadIn(flags.spreadBps, account, market)]))
  const sentence = `${fees.sentence}; ${spreadsSaid(spreads)}`
  return { ...flat, fees: { ...fees, sentence }, spreads } satisfies KnownCosts
})
