/**
 * Accounts that are copies of one: their orders are made and paid in the sandbox without HTTP, and their journals are that account's with
 * names, addresses and payments of their own, appended like any other events. What a bot would need hours for at the venue's rate is there within minutes, and
 * whoever claims such an account cannot tell it from one that was lived.
 */
import { randomBytes } from "node:crypto"
import bs58 from "bs58"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as EventText from "../src/journal/EventText.ts"
import { Journals } from "../src/journal/postgres/Journals.ts"
import type { SandboxOrder } from "../src/sandbox/core/State.ts"
import { Sandbox } from "../src/sandbox/Sandbox.ts"

export interface Account {
  readonly name: string
  readonly signerId: string
  readonly publicKey: string
}

/** The account has one such order more, and what stands for the other one's names in texts. */
const copyOrder = Effect.fnUntraced(function* (order: SandboxOrder, { signerId }: Account) {
  const sandbox = yield* Sandbox
  const { base, quote } = order.market
  const made = yield* sandbox.change({
    tag: "CreateOrder",
    payload: {
      ...{ owner: order.owner, side: order.side, baseAsset: base.id, quoteAsset: quote.id },
      ...{ quantity: `${order.quantity}`, price: order.priceText, appFees: [], deadline: order.deadline },
      ...{ depositType: "INTENTS", depositMode: "SIMPLE", confidentiality: order.confidentiality },
      ...{ recipient: signerId, recipientType: "INTENTS", refundTo: signerId, refundType: "INTENTS" }
    }
  })
  const intentHash = bs58.encode(randomBytes(32))
  yield* sandbox.change({
    tag: "ExecuteIntent",
    payload: {
      ...{ signerId, nonce: randomBytes(32).toString("base64"), intentHash, ledger: "INTENTS" },
      transfers: [{ receiver: made.depositAddress, asset: order.origin.id, amount: `${order.inputAmount}` }]
    }
  })
  return [
    [order.id, made.id],
    [order.depositAddress, made.depositAddress],
    ...order.intentHashes.map((hash) => [hash, intentHash] as const)
  ] as const
})

const renamed = (text: string, names: ReadonlyMap<string, string>, pattern: RegExp): string =>
  text.replace(pattern, (name) => names.get(name) ?? name)

/** Gives each account the orders and the journal of `from`. */
export const copy = Effect.fn("fleetCopies.copy")(function* (from: Account, accounts: ReadonlyArray<Account>) {
  const [sandbox, journals, sql] = [yield* Sandbox, yield* Journals, yield* SqlClient.SqlClient]
  const rows = yield* sql<{ readonly body: string }>`
    SELECT body FROM journal WHERE account = ${from.name} AND event <> 'BotStopped' ORDER BY sequence`
  const orders = yield* sandbox.read((state) =>
    [...state.orders.values()].filter(({ recipient }) => recipient === from.signerId)
  )
  const whole = rows.map(({ body }) => body).join("\n")
  yield* Effect.forEach(
    accounts,
    Effect.fnUntraced(function* (account) {
      const names = new Map<string, string>([
        [from.signerId, account.signerId],
        [from.publicKey, account.publicKey]
      ])
      for (const order of orders) for (const [one, other] of yield* copyOrder(order, account)) names.set(one, other)
      const pattern = new RegExp([...names.keys()].join("|"), "g")
      const events = renamed(whole, names, pattern)
        .split("\n")
        .map((body) => Result.getOrThrow(EventText.decode(body)))
      const { journal } = yield* journals.claim(account.name)
      yield* journal.append(events)
    }, Effect.scoped),
    { concurrency: 32, discard: true }
  )
})
