/** Commands are plain data, as in the state file: each changes the state and answers, or refuses. A deposit's later steps stand here too. */
import { Record, Result, Schema } from "effect"
import * as Amount from "../../domain/Amount.ts"
import { isTerminal } from "../../domain/Order.ts"
import { signedDeposits } from "../../signing/Domains.ts"
import { refundReasons } from "../../venue/wire/WireSwap.ts"
import { Identifier, PositiveAmountText } from "../../venue/wire/WireValue.ts"
import * as Seeded from "../Seeded.ts"
import { assetById, type Delay } from "../Settings.ts"
import * as Control from "./Control.ts"
import * as Books from "./money/Books.ts"
import { createOrder, OrderRequest } from "./orders/OrderCreation.ts"
import * as OrderLife from "./orders/OrderLife.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import { type IncomingDeposit, lies, type SandboxOrder, type SandboxSwap, type State, schedule } from "./State.ts"
import { createSwap, QuoteAsked } from "./swaps/SwapCreation.ts"
import * as SwapLife from "./swaps/SwapLife.ts"

const Text = Schema.String
/** `FAILED`: the swap; `FAILED_WITHDRAWAL` and `FAILED_REFUND`: payments of an order; otherwise the reason for a swap's refund. */
const toldOutcomes = ["FAILED", "FAILED_WITHDRAWAL", "FAILED_REFUND", ...refundReasons] as const

/** Contents of commands, in the state file and in requests to the endpoints of the sandbox. */
export const payloads = {
  CreateOrder: OrderRequest,
  CancelOrder: Schema.Struct({ owner: Text, orderId: Text }),
  /** The signature, recipient, deadline and key are already checked. The other checks need the state. */
  ExecuteIntent: Schema.Struct({
    signerId: Text,
    nonce: Text,
    intentHash: Text,
    ledger: Schema.optionalKey(Schema.Literals(signedDeposits)),
    transfers: Schema.Array(Schema.Struct({ receiver: Text, asset: Text, amount: PositiveAmountText }))
  }),
  CreateSwap: QuoteAsked,
  SubmitDeposit: Schema.Struct({ depositAddress: Text, txHash: Text }),
  /** A transfer on another chain, of money that was never in the service's accounts. */
  DepositOnChain: Schema.Struct({
    depositAddress: Identifier,
    memo: Schema.optionalKey(Identifier),
    asset: Identifier,
    amount: PositiveAmountText,
    sender: Identifier
  }),
  /** Sets the end of a swap once it is paid, or the payments of an order that the service will abandon. */
  TellOutcome: Schema.Struct({ depositAddress: Identifier, outcome: Schema.Literals(toldOutcomes) }),
  TellLie: Schema.Struct({ depositAddress: Identifier, lie: Schema.Literals(lies) }),
  RotateSalts: Schema.Struct({}),
  SetPrices: Control.Prices,
  FillOrder: Control.FillRequest,
  AdvanceTime: Control.Advance
}

export type CommandTag = keyof typeof payloads
type Payload<T extends CommandTag> = (typeof payloads)[T]["Type"]

export interface CommandAnswers {
  readonly CreateOrder: SandboxOrder
  readonly CancelOrder: SandboxOrder
  readonly ExecuteIntent: { readonly intentHash: string }
  readonly CreateSwap: SandboxSwap
  readonly SubmitDeposit: SandboxOrder | SandboxSwap
  readonly DepositOnChain: { readonly txHash: string }
  readonly TellOutcome: { readonly depositAddress: string }
  readonly TellLie: { readonly depositAddress: string }
  readonly RotateSalts: { readonly salts: Readonly<Record<string, string>> }
  readonly SetPrices: { readonly at: number }
  readonly FillOrder: Control.Filled
  readonly AdvanceTime: { readonly at: number }
}

export interface Command<T extends CommandTag = CommandTag> {
  readonly tag: T
  readonly payload: Payload<T>
}

type Applied<T extends CommandTag> = Result.Result<CommandAnswers[T], Refusal>

export const apply = <T extends CommandTag>(state: State, { tag, payload }: Command<T>, at: number): Applied<T> => {
  Control.advance(state, at)
  return appliers[tag](state, payload)
}

export interface TimedCommand extends Command {
  readonly at: number
}

const line = <T extends CommandTag>(tag: T) =>
  Schema.Struct({ at: Schema.Int, tag: Schema.tag(tag), payload: payloads[tag] })

export const LoggedCommand = Schema.Union(Record.keys(payloads).map(line))

export const replay = (state: State, command: TimedCommand): Result.Result<unknown, Refusal> =>
  apply(state, command, command.at)

const cancelOrder = (state: State, { owner, orderId }: Payload<"CancelOrder">): Applied<"CancelOrder"> => {
  const order = ownOrder(state, owner, orderId)
  if (order === undefined) return refuse("order-not-found", `There is no order ${orderId}`)
  if (isTerminal(order.status)) return refuse("order-rejected", `The order is ${order.status} already`)
  if (order.status !== "PENDING_CANCEL") OrderLife.requestCancel(state, order)
  return Result.succeed(order)
}

export const ownOrder = (state: State, owner: string, orderId: string): SandboxOrder | undefined => {
  const order = state.orders.get(orderId)
  return order?.owner === owner ? order : undefined
}

const executeIntent = (state: State, intent: Payload<"ExecuteIntent">): Applied<"ExecuteIntent"> => {
  const { signerId, intentHash, ledger, transfers } = intent
  const placeFor = (target: SandboxOrder | SandboxSwap) => (ledger === undefined ? paidFrom(target) : placeOf(ledger))
  const nonceKey = `${signerId} ${intent.nonce}`
  const executed = state.executedIntents.get(nonceKey)
  if (executed !== undefined) {
    // The real service has given both answers to a payload that was already executed; the seed chooses one.
    const isRepeated = executed === intentHash && Seeded.fraction(state.settings.seed, "repeated", intentHash) < 0.5
    return isRepeated ? Result.succeed({ intentHash }) : refuse("request-rejected", "nonce was already used")
  }
  const needed = { balance: new Map<string, bigint>(), private: new Map<string, bigint>() }
  for (const { receiver, asset, amount } of transfers) {
    if (assetById(state.settings, asset) === undefined) return refuse("request-rejected", `unknown token ${asset}`)
    const target = state.targets.get(receiver)
    if (target === undefined) return refuse("request-rejected", `unknown deposit address ${receiver}`)
    const ofPlace = needed[placeFor(target)]
    ofPlace.set(asset, (ofPlace.get(asset) ?? 0n) + BigInt(amount))
  }
  for (const place of ["balance", "private"] as const) {
    for (const [asset, amount] of needed[place]) {
      if (Books.amountIn(state.books, asset, { account: signerId, place }) < amount) {
        return refuse("request-rejected", "insufficient balance or overflow")
      }
    }
  }
  state.executedIntents.set(nonceKey, intentHash)
  for (const { receiver, asset, amount } of transfers) {
    const target = state.targets.get(receiver)
    if (target === undefined) continue
    const what = {
      asset,
      amount: BigInt(amount),
      hash: intentHash,
      isIntent: true,
      from: placeFor(target),
      // On the other ledger the address is not special: the order does not notice the transfer, and it is returned.
      isAttributed: placeFor(target) === paidFrom(target)
    }
    arrive(state, { target, account: signerId, ...what })
  }
  return Result.succeed({ intentHash })
}

const paidFrom = (target: SandboxOrder | SandboxSwap): "balance" | "private" =>
  placeOf(target.kind === "order" ? target.depositType : target.request.depositType)

const placeOf = (depositType: string): "balance" | "private" =>
  depositType === "CONFIDENTIAL_INTENTS" ? "private" : "balance"

const submitDeposit = (
  state: State,
  { depositAddress, txHash }: Payload<"SubmitDeposit">
): Applied<"SubmitDeposit"> => {
  const target = state.targets.get(depositAddress)
  if (target === undefined) return refuse("order-not-found", `Deposit address ${depositAddress} not found`)
  // A report of an unknown hash changes nothing, because the service searches for it and finds nothing.
  const deposit = state.chainDeposits.get(txHash)
  if (deposit?.target === target) recogniseSoon(state, deposit)
  return Result.succeed(target)
}

const depositOnChain = (state: State, deposit: Payload<"DepositOnChain">): Applied<"DepositOnChain"> => {
  const { depositAddress, memo, asset, sender } = deposit
  const target = state.targets.get(depositAddress)
  if (target === undefined) return refuse("order-not-found", `Deposit address ${depositAddress} not found`)
  if (assetById(state.settings, asset) === undefined) return refuse("request-rejected", `unknown token ${asset}`)
  const hash = Seeded.base58(state.settings.seed, "transaction", state.scheduled)
  const what = { asset, amount: BigInt(deposit.amount), hash, isIntent: false, from: "external" } as const
  const isAttributed = memo === target.depositMemo
  arrive(state, { target, account: sender, ...what, isAttributed })
  return Result.succeed({ txHash: hash })
}

/** Incoming money arrives at once and is noticed slightly later. Excess is returned separately from any payout or refund. */
const arrive = (state: State, incoming: Omit<IncomingDeposit, "isRecognised">): void => {
  const deposit: IncomingDeposit = { ...incoming, isRecognised: false }
  const from: Books.Holding = { account: deposit.account, place: deposit.from }
  Books.transfer(state.books, deposit.asset, deposit.amount, from, SwapLife.depositIn(deposit, "depositInTransit"))
  if (deposit.isAttributed) note(state, deposit)
  if (deposit.isIntent) return recogniseSoon(state, deposit)
  state.chainDeposits.set(deposit.hash, deposit)
  recogniseWithin(state, deposit, state.settings.chainRecognitionMillis)
}

const recogniseSoon = (state: State, deposit: IncomingDeposit): void =>
  recogniseWithin(state, deposit, state.settings.recognitionMillis)

const recogniseWithin = (state: State, deposit: IncomingDeposit, bounds: Delay): void => {
  const delay = Seeded.between(bounds, state.settings.seed, "recognition", state.scheduled)
  schedule(state, delay, () => recognise(state, deposit))
}

const note = (state: State, { target, hash, isIntent, account }: IncomingDeposit): void => {
  target.senders.add(account)
  if (isIntent) target.intentHashes.push(hash)
  else target.originTxHashes.add(hash)
  if (target.kind === "swap") SwapLife.expect(state, target)
}

const recognise = (state: State, deposit: IncomingDeposit): void => {
  if (deposit.isRecognised) return
  deposit.isRecognised = true
  const { target, asset, account, amount } = deposit
  const collector = target.kind === "swap" && SwapLife.collects(target) ? target : undefined
  if (collector !== undefined && deposit.isAttributed && SwapLife.take(state, collector, deposit)) return
  const creditedAmount = deposit.isAttributed ? Amount.min(amount, wantedAmount(target, asset)) : 0n
  if (creditedAmount < amount) sendBack(state, { ...deposit, amount: amount - creditedAmount })
  if (creditedAmount === 0n) return
  if (target.deposited === 0n) target.account = account
  const into = target.kind === "order" ? OrderLife.inOrder(target) : SwapLife.inSwap(target)
  Books.transfer(state.books, asset, creditedAmount, SwapLife.depositIn(deposit, "depositInTransit"), into)
  target.deposited += creditedAmount
  if (target.kind === "swap") SwapLife.consider(state, target)
  else if (isTerminal(target.status)) schedule(state, 0, () => OrderLife.startPayouts(state, target))
  else if (target.status === "AWAITING_DEPOSIT" && target.deposited === target.inputAmount)
    OrderLife.open(state, target)
}

/** A swap accepts everything until it starts. An order accepts what it lacks until it is filled or refunded. */
const wantedAmount = (target: SandboxOrder | SandboxSwap, asset: string): Amount.Amount => {
  if (asset !== target.origin.id) return 0n
  if (target.kind === "swap") return target.isClosed || SwapLife.collects(target) ? 0n : 2n ** 256n
  const isRefundable = target.status !== "FILLED" && target.refund === undefined
  return isRefundable ? target.inputAmount - target.deposited : 0n
}

const sendBack = (state: State, deposit: IncomingDeposit): void => {
  const { account, amount, asset, from: place } = deposit
  const { seed, payoutMillis } = state.settings
  const inReturn = SwapLife.depositIn(deposit, "returnInTransit")
  Books.transfer(state.books, asset, amount, SwapLife.depositIn(deposit, "depositInTransit"), inReturn)
  const delay = Seeded.between(payoutMillis, seed, "return", state.scheduled)
  schedule(state, delay, () => Books.transfer(state.books, asset, amount, inReturn, { account, place }))
}

const tellOutcome = (state: State, { depositAddress, outcome }: Payload<"TellOutcome">): Applied<"TellOutcome"> => {
  const target = state.targets.get(depositAddress)
  if (target === undefined) return refuse("order-not-found", `Deposit address ${depositAddress} not found`)
  const leg = outcome === "FAILED_WITHDRAWAL" ? "withdrawal" : outcome === "FAILED_REFUND" ? "refund" : undefined
  if (target.kind === "order") {
    if (leg === undefined) return refuse("request-rejected", `an order does not end ${outcome}`)
    target.doomed.add(leg)
    return Result.succeed({ depositAddress })
  }
  if (outcome === "FAILED_WITHDRAWAL" || outcome === "FAILED_REFUND") {
    return refuse("request-rejected", `a swap does not end ${outcome}`)
  }
  target.told = outcome
  return Result.succeed({ depositAddress })
}

const tellLie = (state: State, { depositAddress, lie }: Payload<"TellLie">): Applied<"TellLie"> => {
  const target = state.targets.get(depositAddress)
  if (target?.kind !== "order") return refuse("order-not-found", `No order has the deposit address ${depositAddress}`)
  target.lie = lie
  return Result.succeed({ depositAddress })
}

const appliers: { readonly [T in CommandTag]: (state: State, payload: Payload<T>) => Applied<T> } = {
  CreateOrder: createOrder,
  CancelOrder: cancelOrder,
  ExecuteIntent: executeIntent,
  CreateSwap: createSwap,
  SubmitDeposit: submitDeposit,
  DepositOnChain: depositOnChain,
  TellOutcome: tellOutcome,
  TellLie: tellLie,
  RotateSalts: Control.rotateSalts,
  SetPrices: Control.setPrices,
  FillOrder: Control.fill,
  AdvanceTime: (state, payload) => Result.succeed(Control.advanceTime(state, payload))
}
