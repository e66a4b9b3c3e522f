/** Compares the bot's ledger and the sandbox's books to the unit. Both must be at rest: one side knows of a payment before the other. */
import { Effect } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import type { Asset } from "../../domain/Amount.ts"
import * as Ledger from "../../domain/Ledger.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import { BooksResponse } from "../../sandbox/SandboxApi.ts"

export const differences = Effect.fn("BooksComparison.differences")(function* (
  url: string,
  account: string,
  state: BotState,
  assets: ReadonlyArray<Asset>
) {
  const response = yield* HttpClient.get(`${url}/sandbox/books`)
  const books = yield* HttpClientResponse.schemaBodyJson(BooksResponse)(response)
  const totals = Ledger.totals(state.ledger)
  const strategies = [...state.strategies.values()]
  const ours = (symbol: string, ...places: ReadonlyArray<Ledger.Place>) =>
    totals
      .filter((total) => total.asset === symbol && places.includes(total.place))
      .reduce((sum, { amount }) => sum + amount, 0n)
  const allotted = (symbol: string) =>
    strategies.reduce((sum, strategy) => sum + (strategy.budget.get(symbol) ?? 0n), 0n)

  const mismatches = assets.flatMap(({ symbol }) => {
    const theirs = (...places: ReadonlyArray<string>) =>
      places.reduce((sum, place) => sum + BigInt(books.accounts[account]?.[symbol]?.[place] ?? "0"), 0n)
    const pairs: ReadonlyArray<readonly [string, bigint, bigint]> = [
      // Money in doubt may have left. If it is not deposited by now, it counts as still free.
      [
        "free",
        ours(symbol, "wallet", "dust", "in doubt") +
          Ledger.givenBackOf(state.ledger, symbol) -
          allotted(symbol) +
          Ledger.broughtByHand(state.ledger, symbol),
        theirs("balance", "private") - theirs("initial")
      ],
      ["deposits and orders", ours(symbol, "deposit in flight", "in order"), theirs("depositInTransit", "inOrders")],
      ["payouts", ours(symbol, "filled unpaid", "payout in flight"), theirs("unpaid", "payoutInTransit")],
      ["refunds", ours(symbol, "refund in flight"), theirs("refundInTransit", "returnInTransit")],
      ["fees", ours(symbol, "fees"), theirs("feesPaid")],
      ["unexplained", ours(symbol, "residual", "lost"), theirs("failed")]
    ]
    return pairs.flatMap(([what, bot, sandbox]) =>
      bot === sandbox ? [] : [`${symbol} ${what}: the bot has ${bot}, the sandbox ${sandbox} smallest units`]
    )
  })
  return [...mismatches, ...books.imbalances]
})
