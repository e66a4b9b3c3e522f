/** Random but reproducible use of the core: commands with their times, and a state as one comparable text. */
import { Result, Schema } from "effect"
import { present } from "../../../src/domain/Present.ts"
import { apply, type Command, type TimedCommand } from "../../../src/sandbox/core/Commands.ts"
import * as State from "../../../src/sandbox/core/State.ts"
import { booksView } from "../../../src/sandbox/http/truth.ts"
import * as MarketModel from "../../../src/sandbox/market/MarketModel.ts"
import * as Seeded from "../../../src/sandbox/Seeded.ts"
import { defaultSettings, type SandboxAsset, type SandboxSettings } from "../../../src/sandbox/Settings.ts"
import { solverLaws } from "../../../src/sandbox/Solvers.ts"
import { QuoteRequest } from "../../../src/venue/wire/WireQuote.ts"

export const startedAt = 1_700_000_000_000
/** A fast and lively market with everything rare made frequent. */
export const settingsOf = (seed: number): SandboxSettings => ({
  ...defaultSettings("native"),
  ...present({ solvers: [undefined, ...Object.values(solverLaws)][seed % 8] }),
  seed,
  accounts: ["alice.test", "bob.test"],
  speed: 600,
  partialFillShare: 0.7,
  fillWhileCancellingShare: 0.5,
  failedPayoutShare: 0.1,
  refundedSwapShare: 0.2,
  failedSwapShare: 0.1
})

export const freshState = (settings: SandboxSettings): State.State =>
  State.make(settings, MarketModel.make(settings, startedAt, undefined), startedAt)

/** Applies and keeps what was accepted, as the sandbox does. */
export const perform = (state: State.State, log: Array<TimedCommand>, command: Command, at: number): void => {
  const answer = apply(state, command, at)
  if (Result.isSuccess(answer)) log.push({ ...command, at })
}

/** Creates, funds, underpays, overpays and cancels at random. */
export const play = (settings: SandboxSettings, steps: number): { state: State.State; log: Array<TimedCommand> } => {
  const state = freshState(settings)
  const log: Array<TimedCommand> = []
  let at = startedAt
  for (let step = 0; step < steps; step++) {
    const chance = (...keys: ReadonlyArray<string>) => Seeded.fraction(settings.seed, "test", step, ...keys)
    at += Math.floor(chance("pause") ** 4 * 20_000)
    perform(state, log, commandAt(state, chance), at)
  }
  return { state, log }
}

const commandAt = (state: State.State, chance: (key: string) => number): Command => {
  const orders = [...state.orders.values()]
  const order = orders[Math.floor(chance("order") * orders.length)]
  const kind = chance("kind")
  const swap = [...state.swaps.values()].at(-1)
  if (kind < 0.08) return quoteAt(state, chance)
  if (kind < 0.16 && swap !== undefined) return payAt(swap, chance)
  if (order === undefined || kind < 0.45) return createAt(state, chance)
  if (kind < 0.8) return fundAt(orders.findLast((one) => one.status === "AWAITING_DEPOSIT") ?? order, chance)
  if (kind > 0.98) return { tag: "AdvanceTime", payload: { millis: 1 + Math.floor(chance("advance") * 5_000) } }
  if (kind > 0.96)
    return { tag: "SetPrices", payload: { prices: { "BTC/USDC": 59_000 + 2_000 * chance("new price") } } }
  if (kind > 0.92) return { tag: "FillOrder", payload: chance("part") < 0.5 ? { quantity: "0.001" } : {} }
  const live = orders.filter(({ status }) => status === "OPEN" || status === "PARTIALLY_FILLED").at(-1) ?? order
  return { tag: "CancelOrder", payload: { owner: live.owner, orderId: live.id } }
}

const createAt = ({ settings, model, now }: State.State, chance: (key: string) => number): Command => {
  const pick = <A>(items: readonly [A, ...Array<A>], key: string): A =>
    items[Math.floor(chance(key) * items.length)] ?? items[0]
  const [first, ...others] = settings.assets as [SandboxAsset, ...Array<SandboxAsset>]
  const base = pick([first, ...others], "base")
  const quote = pick([first, ...others], "quote")
  const account = pick(["alice.test", "bob.test"], "account")
  const price = model.mid(base, quote, now) * (1 + 0.25 * (chance("price") - 0.5) ** 3)
  return {
    tag: "CreateOrder",
    payload: {
      owner: pick(["partner one", "partner two"], "owner"),
      side: chance("side") < 0.5 ? "BUY" : "SELL",
      baseAsset: base.id,
      quoteAsset: quote.id,
      quantity: String(
        BigInt(Math.ceil((chance("size") * 100_000) / base.priceUsd)) * 10n ** BigInt(base.decimals - 3)
      ),
      price: price.toFixed(12),
      depositType: "INTENTS",
      depositMode: "SIMPLE",
      recipient: chance("other recipient") < 0.2 ? "carol.test" : account,
      recipientType: chance("chain") < 0.1 ? "DESTINATION_CHAIN" : "INTENTS",
      refundTo: account,
      refundType: "INTENTS",
      confidentiality: "basic",
      deadline: now + 1 + Math.floor(chance("deadline") * 120_000),
      appFees: chance("app fee") < 0.2 ? [{ recipient: "app.test", fee: 30 }] : []
    }
  }
}

const fundAt = (order: State.SandboxOrder, chance: (key: string) => number): Command => {
  const factor = chance("short") < 0.2 ? 50n : chance("excess") < 0.2 ? 150n : 100n
  const amount = (order.inputAmount * factor) / 100n
  const asset = order.side === "SELL" ? order.market.base.id : order.market.quote.id
  const signerId = chance("stranger") < 0.1 ? "bob.test" : order.refundTo
  const nonce = `nonce ${Math.floor(chance("nonce") * 500)}`
  const transfers = [{ receiver: order.depositAddress, asset, amount: String(amount === 0n ? 1n : amount) }]
  return { tag: "ExecuteIntent", payload: { signerId, nonce, intentHash: `hash of ${nonce}`, transfers } }
}

const decodeQuoteRequest = Schema.decodeUnknownSync(QuoteRequest)

const quoteAt = ({ settings, now }: State.State, chance: (key: string) => number): Command => {
  const swapType = chance("swap type") < 0.5 ? "EXACT_INPUT" : chance("flexible") < 0.5 ? "FLEX_INPUT" : "EXACT_OUTPUT"
  const isOnChain = chance("on chain") < 0.3
  const [origin = "", destination = ""] = settings.assets.map(({ id }) => id)
  const request = decodeQuoteRequest({
    dry: false,
    swapType,
    slippageTolerance: 50,
    originAsset: origin,
    depositType: isOnChain ? "ORIGIN_CHAIN" : "INTENTS",
    destinationAsset: destination,
    amount: swapType === "EXACT_OUTPUT" ? "100000000000000000" : "500000",
    refundTo: isOnChain ? "bc1qme" : "alice.test",
    refundType: isOnChain ? "ORIGIN_CHAIN" : "INTENTS",
    recipient: "carol.test",
    recipientType: chance("to chain") < 0.5 ? "DESTINATION_CHAIN" : "INTENTS",
    deadline: new Date(now + 1 + Math.floor(chance("deadline") * 60_000)).toISOString(),
    depositMode: isOnChain ? "MEMO" : "SIMPLE",
    appFees: chance("app fee") < 0.5 ? [{ recipient: "app.test", fee: 30 }] : []
  })
  return { tag: "CreateSwap", payload: { request, correlationId: "c" } }
}

const payAt = (swap: State.SandboxSwap, chance: (key: string) => number): Command => {
  const { depositAddress, depositMemo, origin, quoted } = swap
  const asset = origin.id
  const amount = String((quoted.amountIn * BigInt(Math.ceil(chance("part") * 3))) / 2n + 1n)
  if (depositMemo === undefined) {
    const nonce = `swap nonce ${Math.floor(chance("nonce") * 500)}`
    const transfers = [{ receiver: depositAddress, asset, amount }]
    return {
      tag: "ExecuteIntent",
      payload: { signerId: "alice.test", nonce, intentHash: `hash of ${nonce}`, transfers }
    }
  }
  if (chance("word") < 0.3) return { tag: "SubmitDeposit", payload: { depositAddress, txHash: "told" } }
  const memo = chance("memo") < 0.2 ? "wrong" : depositMemo
  return { tag: "DepositOnChain", payload: { depositAddress, memo, asset, amount, sender: "bc1qme" } }
}

/** Everything that can be seen of a state. */
export const fingerprint = (state: State.State): string =>
  JSON.stringify(
    [
      booksView(state),
      [...state.orders.values()],
      [...state.swaps.values()],
      [...state.executedIntents],
      state.agenda.items.length
    ],
    (_, value) => (typeof value === "bigint" ? String(value) : value instanceof Set ? [...value] : value)
  )
