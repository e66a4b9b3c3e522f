/** Incoming money arrives at once and is noticed slightly later. Excess is returned separately from any payout or refund. */
import * as Amount from "../../domain/Amount.ts"
import { isTerminal } from "../../domain/Order.ts"
import * as Seeded from "../Seeded.ts"
import type { Delay } from "../Settings.ts"
import * as Books from "./money/Books.ts"
import { open } from "./orders/OrderLife.ts"
import * as Payouts from "./Payouts.ts"
import { type IncomingDeposit, type SandboxOrder, type SandboxSwap, type State, schedule } from "./State.ts"
import * as Collecting from "./swaps/Collecting.ts"
import * as SwapLife from "./swaps/SwapLife.ts"

export const arrive = (state: State, incoming: Omit<IncomingDeposit, "isRecognised">): void => {
  const deposit: IncomingDeposit = { ...incoming, isRecognised: false }
  const from: Books.Holding = { account: deposit.account, place: deposit.from }
  Books.transfer(state.books, deposit.asset, deposit.amount, from, Collecting.holdingOf(deposit, "depositInTransit"))
  if (deposit.isAttributed) note(state, deposit)
  if (deposit.isIntent) return recogniseSoon(state, deposit)
  state.chainDeposits.set(deposit.hash, deposit)
  recogniseWithin(state, deposit, state.settings.chainRecognitionMillis)
}

export const recogniseSoon = (state: State, deposit: IncomingDeposit): void =>
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
  const collector = target.kind === "swap" && Collecting.collects(target) ? target : undefined
  if (collector !== undefined && deposit.isAttributed && Collecting.take(state, collector, deposit)) return
  const creditedAmount = deposit.isAttributed ? Amount.min(amount, wantedAmount(target, asset)) : 0n
  if (creditedAmount < amount) sendBack(state, { ...deposit, amount: amount - creditedAmount })
  if (creditedAmount === 0n) return
  if (target.deposited === 0n) target.account = account
  const into = target.kind === "order" ? Payouts.inOrder(target) : SwapLife.inSwap(target)
  Books.transfer(state.books, asset, creditedAmount, Collecting.holdingOf(deposit, "depositInTransit"), into)
  target.deposited += creditedAmount
  if (target.kind === "swap") SwapLife.consider(state, target)
  else if (isTerminal(target.status)) schedule(state, 0, () => Payouts.start(state, target))
  else if (target.status === "AWAITING_DEPOSIT" && target.deposited === target.inputAmount) open(state, target)
}

/** A swap accepts everything until it starts. An order accepts what it lacks until it is filled or refunded. */
const wantedAmount = (target: SandboxOrder | SandboxSwap, asset: string): Amount.Amount => {
  if (asset !== target.origin.id) return 0n
  if (target.kind === "swap") return target.isClosed || Collecting.collects(target) ? 0n : 2n ** 256n
  const isRefundable = target.status !== "FILLED" && target.refund === undefined
  return isRefundable ? target.inputAmount - target.deposited : 0n
}

const sendBack = (state: State, deposit: IncomingDeposit): void => {
  const { seed, payoutMillis } = state.settings
  const from = Collecting.holdingOf(deposit, "depositInTransit")
  Books.transfer(state.books, deposit.asset, deposit.amount, from, Collecting.holdingOf(deposit, "returnInTransit"))
  const delay = Seeded.between(payoutMillis, seed, "return", state.scheduled)
  schedule(state, delay, () => giveBack(state, deposit))
}

const giveBack = (state: State, deposit: IncomingDeposit): void => {
  const to: Books.Holding = { account: deposit.account, place: deposit.from }
  Books.transfer(state.books, deposit.asset, deposit.amount, Collecting.holdingOf(deposit, "returnInTransit"), to)
}
