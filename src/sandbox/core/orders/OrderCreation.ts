/** Turns a request into an inert order, with the checks that need the state. Creating moves no money. */
import { Result, Schema } from "effect"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import * as Market from "../../../domain/Market.ts"
import { chargesOf } from "../../../venue/profile/Charges.ts"
import { factsOf } from "../../../venue/VenueConfig.ts"
import type { Fault } from "../../../venue/wire/WireError.ts"
import { depositModes, depositTypes, PositiveAmountText, recipientTypes } from "../../../venue/wire/WireValue.ts"
import * as Seeded from "../../Seeded.ts"
import { assetById, type SandboxAsset } from "../../Settings.ts"
import * as Solvers from "../../Solvers.ts"
import { type AccountKind, type AppFee, appFeeRatio, isInternal } from "../money/Books.ts"
import { type Refusal, refuse } from "../Refusal.ts"
import { partiesIn, type SandboxOrder, type State, schedule, usdOf } from "../State.ts"
import { expire } from "./OrderLife.ts"

const DepositKind = Schema.Literals(depositTypes)

/** A request in the state file: its form is checked, but not its content. */
export const OrderRequest = Schema.Struct({
  owner: Schema.String,
  side: Schema.Literals(["BUY", "SELL"]),
  baseAsset: Schema.String,
  quoteAsset: Schema.String,
  quantity: PositiveAmountText,
  price: Schema.String,
  depositType: DepositKind,
  depositMode: Schema.Literals(depositModes),
  recipient: Schema.String,
  recipientType: Schema.Literals(recipientTypes),
  refundTo: Schema.String,
  refundType: DepositKind,
  confidentiality: Schema.String,
  deadline: Schema.optionalKey(Schema.Int),
  appFees: Schema.Array(Schema.Struct({ recipient: Schema.String, fee: Schema.Int }))
})
type OrderRequest = typeof OrderRequest.Type

const defaultLifeMillis = 7 * dayMillis
const accountId = /^[a-z0-9][a-z0-9._-]{1,63}$/

export const createOrder = (state: State, request: OrderRequest): Result.Result<SandboxOrder, Refusal> =>
  Result.gen(function* () {
    const base = assetById(state.settings, request.baseAsset)
    const quote = assetById(state.settings, request.quoteAsset)
    const [first, ...others] = faultsOf(state, request, base, quote)
    if (first !== undefined)
      return yield* Result.fail<Refusal>({ code: "validation-failed", faults: [first, ...others] })
    if (base === undefined || quote === undefined) return yield* refuse("order-rejected", "Unknown asset")

    const misdirected = partiesOf(request).find(([, account]) => account === state.settings.verifier)
    if (misdirected !== undefined) {
      return yield* refuse("request-rejected", "the verifier itself cannot be paid", pointerTo(misdirected[0]))
    }
    const order = build(state, request, base, quote)
    const usd = usdOf(state, order.origin, order.inputAmount)
    if (usd < state.settings.minOrderUsd) {
      return yield* refuse(
        factsOf(state.settings).orders.tooSmall,
        `Order is worth less than the minimum of ${state.settings.minOrderUsd} USD`
      )
    }
    state.orders.set(order.id, order)
    state.targets.set(order.depositAddress, order)
    schedule(state, order.deadline - state.now, () => expire(state, order))
    return order
  })

const pointerTo = (attribute: string): string => `/data/attributes/${attribute}`

const faultsOf = (
  state: State,
  request: OrderRequest,
  base: SandboxAsset | undefined,
  quote: SandboxAsset | undefined
): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  const wrong = (attribute: string, detail: string) => faults.push({ detail, pointer: pointerTo(attribute) })
  if (base === undefined) wrong("baseAsset", "unknown asset")
  if (quote === undefined) wrong("quoteAsset", "unknown asset")
  if (request.baseAsset === request.quoteAsset) wrong("quoteAsset", "must differ from baseAsset")
  if (request.deadline !== undefined && request.deadline <= state.now) wrong("deadline", "must be in the future")
  if (request.depositMode === "MEMO" && request.depositType !== "ORIGIN_CHAIN") {
    wrong("depositMode", `a deposit by ${request.depositType} carries no memo`)
  }
  const { confidentialities } = factsOf(state.settings).orders
  if (!confidentialities.includes(request.confidentiality)) {
    wrong("confidentiality", `must be one of ${confidentialities.join(", ")}`)
  }
  for (const [attribute, account, kind] of partiesOf(request)) {
    if (isInternal(kind) && !accountId.test(account)) wrong(attribute, `must be an account id for ${kind}`)
  }
  return faults
}

const partiesOf = (request: OrderRequest) =>
  [
    ["recipient", request.recipient, request.recipientType],
    ["refundTo", request.refundTo, request.refundType]
  ] as const

const build = (state: State, request: OrderRequest, base: SandboxAsset, quote: SandboxAsset): SandboxOrder => {
  const { seed, partialFillShare } = state.settings
  const sequence = state.orders.size + 1
  const market: Market.Market = { name: `${base.symbol}/${quote.symbol}`, base, quote }
  const quantity = BigInt(request.quantity)
  const price = Decimal.parse(request.price) ?? Decimal.zero
  const { side } = request
  const [origin, destination] = side === "SELL" ? [base, quote] : [quote, base]
  const isSliced = quantity >= 100n && Seeded.fraction(seed, "sliced", sequence) < partialFillShare
  const appFees = echoedFees(state, request, [origin.symbol, destination.symbol])
  const hasMemo = request.depositMode === "MEMO"
  const margin = Solvers.marginOf(state.settings.solvers, seed, sequence, usdOf(state, base, quantity))
  const leaves = (1 - appFeeRatio(appFees)) * (1 - margin)
  return {
    kind: "order",
    sequence,
    id: Seeded.uuid(seed, "order", sequence),
    owner: request.owner,
    side,
    market,
    quantity,
    price,
    priceText: request.price,
    inputAmount: Market.inputAmount(market, side, quantity, price),
    outputAmount: Market.outputAmount(market, side, quantity, price),
    depositAddress: Seeded.hex(seed, "deposit address", sequence),
    depositMemo: hasMemo ? String(Seeded.between([1_000_000, 9_999_999], seed, "memo", sequence)) : undefined,
    ...partiesIn(request),
    confidentiality: request.confidentiality,
    appFees,
    origin,
    destination,
    withdrawFee: flatFee(state, destination, request.recipientType),
    refundFee: flatFee(state, origin, request.refundType),
    deadline: request.deadline ?? state.now + defaultLifeMillis,
    createdAt: state.now,
    leaves,
    trigger: trigger(side, price, leaves),
    slices: isSliced ? Seeded.between([2, 4], seed, "slices", sequence) : 1,
    status: "AWAITING_DEPOSIT",
    attempts: 0,
    isAttempted: false,
    doomed: new Set(),
    lie: undefined,
    usd: { input: state.model.usd(origin, state.now), output: state.model.usd(destination, state.now) },
    deposited: 0n,
    account: request.refundTo,
    senders: new Set(),
    intentHashes: [],
    originTxHashes: new Set(),
    executed: 0n,
    fills: [],
    withdrawal: undefined,
    refund: undefined
  }
}

const flatFee = ({ settings }: State, { fee }: SandboxAsset, kind: AccountKind): bigint =>
  isInternal(kind) && factsOf(settings).fees.flat === "chains" ? 0n : BigInt(fee)

const echoedFees = (
  { settings }: State,
  { appFees, owner }: OrderRequest,
  assets: readonly [origin: string, destination: string]
): ReadonlyArray<AppFee> => {
  const schedule = factsOf(settings).fees
  if (schedule.appFees === "added") return appFees
  const charged = chargesOf(schedule, { hasPartner: owner.startsWith("partner "), assets, appFees })
  const service = { recipient: `fees.${settings.ledger}`, fee: Decimal.sumOf([charged.service, -schedule.settlement]) }
  const protocol = { recipient: `protocol.${settings.ledger}`, fee: schedule.settlement }
  return [...charged.appFees, service, ...(protocol.fee === 0 ? [] : [protocol])]
}

/** App fees are taken from the input, so the mid must be better than the limit by these fees and the margin. */
const trigger = (side: Market.Side, price: Market.Price, leaves: number): number => {
  const limit = Decimal.toNumber(price)
  return side === "SELL" ? limit / leaves : limit * leaves
}
