/**
 * Determines the fees and the spread of a backtest, with the reasons. Flags come first; then values measured in the configuration's own
 * journal, and for payouts and refunds those that the venue published on its orders; then the venue's values, as `check` and `plan` know
 * them, and the sandbox's spread. Configuration and journal are read once for all markets and files.
 */
import { Effect, FileSystem } from "effect"
import { type Asset, formatWithSymbol } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as EchoedFee from "../../domain/EchoedFee.ts"
import type { Market } from "../../domain/Market.ts"
import { askedBasisPoints, type OrderTerms } from "../../domain/Order.ts"
import { countText } from "../../domain/Text.ts"
import type * as MeasuredFees from "../../ledger/measured/MeasuredFees.ts"
import * as sandbox from "../../sandbox/Settings.ts"
import { chargesOf, echoedWith, isPartner, totalOf, usualOf } from "../../venue/profile/Charges.ts"
import type { VenueFacts } from "../../venue/profile/Facts.ts"
import { factsOf } from "../../venue/profile/Profiles.ts"
import { perImpact } from "../backtest/kernel/FillRules.ts"

/** The venue publishes no spread, so we use the sandbox's. */
export const sandboxSpreadBasisPoints = sandbox.defaultSpread * 10_000

interface Spread extends Impact {
  readonly impact: Impact
}

/** Additional cost of an order that takes the market, for each million of quote. A user who sets the spread sets it for every size. */
interface Impact {
  readonly basisPoints: number
  readonly from: "flag" | "measured" | "sandbox"
}

export type KnownCosts = Effect.Success<ReturnType<typeof of>>

export interface CostFlags {
  readonly feeBps?: number | undefined
  readonly spreadBps?: number | undefined
  readonly withdrawFee?: string | undefined
  readonly refundFee?: string | undefined
}

export interface Account {
  readonly config: string
  readonly journal: string
  readonly isPartner: boolean
  readonly schedule: VenueFacts["fees"]
  readonly terms: OrderTerms
  /** `undefined` if there are too few fills. */
  readonly fees: MeasuredFees.MeasuredFees | undefined
  readonly published: MeasuredFees.FlatFees
  /** Fees on inputs that the venue stated in its answers to the account's orders. */
  readonly echoed: EchoedFee.LearnedFees
  readonly spreads: ReadonlyMap<string, number>
  readonly impacts: ReadonlyMap<string, number>
}

const none: ReadonlyMap<string, never> = new Map<string, never>()
const unknown: MeasuredFees.FlatFees = { payouts: none, refunds: none }
const unmeasured = { fees: undefined, published: unknown, echoed: none, spreads: none, impacts: none }
/** Without a configuration: the schedule of the interface document, without a partner's credential. */
const documented = { schedule: factsOf("document", "any").fees, isPartner: false, echoed: none, terms: {} }

/** Returns `undefined` without a configuration. Loads modules on demand, because most runs have no configuration. */
export const accountOf = Effect.fn("FeeModel.accountOf")(function* (config: string | undefined) {
  if (config === undefined) return undefined
  const { loadSettings } = yield* Effect.promise(() => import("../../files/ConfigFile.ts"))
  const { account, journal, venue } = yield* loadSettings(config)
  const schedule = venue.facts.fees
  const hasCredential = isPartner(venue.facts, venue.hasPartner)
  const facts = { config, journal, isPartner: hasCredential, schedule, terms: account.terms }
  const fileSystem = yield* FileSystem.FileSystem
  const isThere = yield* fileSystem.exists(journal).pipe(Effect.orElseSucceed(() => false))
  if (!isThere) return { ...facts, ...unmeasured } satisfies Account
  const JournalData = yield* Effect.promise(() => import("../../app/journal/JournalData.ts"))
  return { ...facts, ...(yield* JournalData.costs(journal, usualOf(schedule, hasCredential))) } satisfies Account
})

interface OfInputs {
  readonly basisPoints: number
  readonly learned?: EchoedFee.LearnedFee | undefined
}

/** Fee on every input under a schedule that shares app fees: as orders reported it, otherwise the schedule's. Others charge payouts. */
const ofInputs = (
  known: Pick<Account, "echoed" | "isPartner" | "schedule">,
  markets: ReadonlyArray<Market>,
  { appFees = [] }: OrderTerms
): OfInputs => {
  if (known.schedule.appFees === "added") return { basisPoints: 0 }
  const each = markets.map(({ base, name, quote }): OfInputs => {
    const learned = EchoedFee.learnedFor(known.echoed, name, echoedWith(known.isPartner, appFees))
    const trade = { hasPartner: known.isPartner, assets: [base.symbol, quote.symbol], appFees } as const
    return { basisPoints: learned?.basisPoints ?? totalOf(chargesOf(known.schedule, trade)), learned }
  })
  return each.reduce((dearest, next) => (next.basisPoints > dearest.basisPoints ? next : dearest))
}

interface OfFills {
  /** Taken from the output of every fill. */
  readonly basisPoints: number
  readonly from: "flag" | "measured" | "partner credential" | "specification" | "schedule"
  readonly said?: string
}

const ofFills = (
  { feeBps }: CostFlags,
  account: Account | undefined,
  { basisPoints: ofInput, learned }: OfInputs,
  who: string
): OfFills => {
  const perFill = (basisPoints: number, from: OfFills["from"], reason: string): OfFills => ({
    basisPoints,
    from,
    said: `${basisPoints} basis points of every fill (${reason})`
  })
  if (feeBps !== undefined) return perFill(feeBps, "flag", "--fee-bps")
  if (account?.fees !== undefined) {
    const reason = `measured: ${countText(account.fees.fills, "fill")} in ${account.journal}`
    return perFill(account.fees.basisPoints, "measured", reason)
  }
  if (ofInput > 0) return { basisPoints: 0, from: learned === undefined ? "schedule" : "measured" }
  const { isPartner, schedule } = account ?? documented
  const usual = usualOf(schedule, isPartner)
  return isPartner && usual === 0
    ? perFill(0, "partner credential", `the partner credential of ${account?.config} waives them`)
    : perFill(usual, "specification", `the venue's, ${who}`)
}

const flatSources = (account: Account | undefined, markets: ReadonlyArray<Market>) => {
  const usual = new Map(markets.flatMap(({ costs }) => [...(costs?.payouts ?? [])]))
  return [
    { note: "", fees: account?.fees ?? unknown },
    { note: " (published)", fees: account?.published ?? unknown },
    { note: " (the venue's)", fees: { payouts: usual, refunds: usual } }
  ]
}

/** Such as "0.0000003 BTC of a payout, 0.02 USDC of a payout and a refund (published), those of refunds by flag". */
const flatSaid = (
  { refundFee, withdrawFee }: CostFlags,
  sources: ReturnType<typeof flatSources>,
  markets: ReadonlyArray<Market>
): string => {
  const assets = [...new Set([...markets.map(({ base }) => base), ...markets.map(({ quote }) => quote)])]
  const kinds = [
    { name: "a payout", given: withdrawFee, of: "payouts" },
    { name: "a refund", given: refundFee, of: "refunds" }
  ] as const
  const open = kinds.filter(({ given }) => given === undefined)
  const bestFor = ({ symbol }: Asset, of: keyof MeasuredFees.FlatFees) =>
    sources.find(({ fees }) => fees[of].has(symbol))
  const phrases = sources.flatMap((source) => {
    const feesOf = (of: keyof MeasuredFees.FlatFees): string =>
      assets
        .filter((asset) => bestFor(asset, of) === source)
        .map((asset) => formatWithSymbol(source.fees[of].get(asset.symbol) ?? 0n, asset))
        .join(" and ")
    const by = Map.groupBy(open, ({ of }) => feesOf(of))
    by.delete("")
    return [...by].map(([fees, each]) => `${fees} of ${each.map(({ name }) => name).join(" and ")}${source.note}`)
  })
  const flagTexts = kinds.flatMap(({ given, of }) => (given !== undefined ? [`those of ${of} by flag`] : []))
  const missing = open.flatMap(({ of }) => (assets.some((asset) => bestFor(asset, of) !== undefined) ? [] : [of]))
  const without = missing.length === 0 ? [] : [`without those of ${missing.join(" and ")}`]
  return [...phrases, ...flagTexts, ...without].join(", ")
}

const spreadIn = (
  given: number | undefined,
  account: Pick<Account, "impacts" | "spreads"> | undefined,
  market: Market
): Spread => {
  if (given !== undefined) return { basisPoints: given, from: "flag", impact: { basisPoints: 0, from: "flag" } }
  const measured = account?.spreads.get(market.name)
  const impact = impactIn(account?.impacts, market)
  return measured === undefined
    ? { basisPoints: sandboxSpreadBasisPoints, from: "sandbox", impact }
    : { basisPoints: measured, from: "measured", impact }
}

/** The sandbox's impact is in dollars. The quote counts as a dollar unless the sandbox knows its price. */
const impactIn = (measured: Account["impacts"] | undefined, { base, name, quote }: Market): Impact => {
  const ofUnit = measured?.get(name)
  if (ofUnit !== undefined) return { basisPoints: ofUnit * 10 ** base.decimals * perImpact, from: "measured" }
  const { assets, impactPerMillionUsd } = sandbox.defaultSettings("native")
  const usd = assets.find(({ symbol }) => symbol === quote.symbol)?.priceUsd ?? 1
  return { basisPoints: impactPerMillionUsd * 10_000 * usd, from: "sandbox" }
}

const why: Readonly<Record<Spread["from"], string>> = {
  flag: "--spread-bps",
  measured: "measured",
  sandbox: "as the sandbox's solvers keep"
}

/** Such as "spread: 10 basis points (as the sandbox's solvers keep)"; by market if there are several. */
const spreadsSaid = (spreads: ReadonlyMap<string, Spread>): string => {
  const each = [...spreads].map(([market, { basisPoints, from }]) => {
    const spreadText = `${Number(basisPoints.toFixed(2))} basis points (${why[from]})`
    return { said: spreadText, named: `${spreadText} in ${market}` }
  })
  const alike = new Set(each.map(({ said }) => said))
  return `spread: ${alike.size === 1 ? [...alike].join() : each.map(({ named }) => named).join(", ")}`
}

const impactsSaid = (spreads: ReadonlyMap<string, Spread>, markets: ReadonlyArray<Market>): ReadonlyArray<string> => {
  const each = markets.flatMap(({ name, quote }) => {
    const { basisPoints, from } = spreads.get(name)?.impact ?? { basisPoints: 0, from: "flag" }
    const where = markets.length === 1 ? "" : ` in ${name}`
    const by = { flag: "", measured: "measured", sandbox: "as the sandbox's solvers want" }[from]
    return from === "flag" ? [] : [`${Number(basisPoints.toFixed(2))} for each million ${quote.symbol}${where} (${by})`]
  })
  return each.length === 0 ? [] : [`taking the market costs more by size: ${each.join(", ")}`]
}

const tooDear = (used: number, most: number | undefined): ReadonlyArray<string> =>
  most === undefined || used <= most
    ? []
    : [
        `WARNING: the fee of ${used} basis points exceeds limits.maxFeeBasisPoints (${most}): a running bot would not pay for such an order`
      ]

/** `mostBasisPoints`: the strategy's limit for the fee that the venue's answer to an order may state. */
export const of = Effect.fn("FeeModel.of")(function* (
  flags: CostFlags,
  account: Account | undefined,
  markets: ReadonlyArray<Market>,
  own: OrderTerms = {},
  mostBasisPoints?: number
) {
  const { isPartner, terms: accountTerms } = account ?? documented
  const terms = { ...accountTerms, ...own }
  const who = isPartner ? "with a partner credential" : "without a partner credential"
  const inputFee: OfInputs =
    flags.feeBps !== undefined ? { basisPoints: 0 } : ofInputs(account ?? documented, markets, terms)
  const { basisPoints: ofInput, learned } = inputFee
  const { said, ...ofFill } = ofFills(flags, account, inputFee, who)
  // A user who sets the fee of fills sets all fees.
  const sources = flags.feeBps !== undefined ? [] : flatSources(account, markets)
  const flat = (of: keyof MeasuredFees.FlatFees) => new Map(sources.toReversed().flatMap(({ fees }) => [...fees[of]]))
  const spreads = new Map(markets.map((market) => [market.name, spreadIn(flags.spreadBps, account, market)]))
  // A schedule that shares app fees includes them in its fee on inputs.
  const appFees = ofInput > 0 ? 0 : askedBasisPoints(terms)
  const isGiven = flags.withdrawFee !== undefined || flags.refundFee !== undefined
  const isFree = ofFill.from === "flag" && ofFill.basisPoints === 0 && !isGiven && appFees === 0
  const costs = [
    ...(learned !== undefined
      ? [EchoedFee.learnedText(learned)]
      : ofInput > 0
        ? [`${ofInput} basis points of every input (the schedule of ${account?.config}, ${who})`]
        : []),
    ...(said === undefined ? [] : [said]),
    flatSaid(flags, sources, markets)
  ]
  const origin = own.appFees === undefined ? account?.config : "its terms"
  const sentence = [
    isFree ? "NO FEES: --fee-bps 0" : `fees: ${costs.join(", ")}`,
    spreadsSaid(spreads),
    ...impactsSaid(spreads, markets),
    ...(appFees > 0 ? [`app fees of ${origin}: ${appFees} basis points of every input`] : []),
    ...tooDear(Decimal.sumOf([ofInput, ofFill.basisPoints, appFees]), mostBasisPoints)
  ].join("; ")
  const fees = {
    ...ofFill,
    /** Taken from every input, app fees of the strategy's terms included; 0 if the service takes no other fee from inputs. */
    ofInput,
    sentence,
    isFree
  }
  return { fees, payouts: flat("payouts"), refunds: flat("refunds"), spreads, accountTerms }
})
