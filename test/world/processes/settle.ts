/**
 * How a torture ends: a last life of the bot withdraws everything, and both books are compared.
 *
 * What earlier lives sent and nobody answered has to be sent again before that: an order that is being withdrawn is paid no more, so
 * what became of such bytes would stay in doubt, for an hour. The last life is therefore asked to leave when every one of those
 * payments has its answer, and not after some seconds, in which a busy machine does not get that far. An order that the kill
 * switch withdrew before that is in doubt: then the operator looks, and says what the venue's books say.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { replay } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import * as evidence from "../bot/evidence.ts"
import type { Connection } from "./processes.ts"
import { runHere, startHere } from "./program.ts"

/** The journal of a bot that may be running, and a client to ask the sandbox for its books. */
export const witnesses = (filename: string) =>
  Layer.mergeAll(
    Journal.layerReadOnly.pipe(Layer.provide(Sqlite.layer({ filename, readOnly: true }))),
    NodeHttpClient.layerUndici
  )

export const check = (journal: string, { url, account }: Connection) =>
  Effect.runPromise(Effect.provide(evidence.check(url, account.signerId), witnesses(journal)))

const openIn = async (journal: string) =>
  unfinished(await Effect.runPromise(Effect.provide(replay, witnesses(journal))))

/** Placements whose payment is signed, and nobody has said yet what became of it. */
const unanswered = async (journal: string): Promise<ReadonlyArray<string>> =>
  (await openIn(journal)).filter((each) => each.state === "funding" && !each.funding.acknowledged).map(({ id }) => id)

interface Books {
  readonly orders: ReadonlyArray<{ readonly id: string; readonly deposited: string }>
}

/** Whether the venue's own books have a deposit for this order. */
type Paid = (orderId: string) => Promise<boolean>

export const paidAt =
  ({ url }: Connection): Paid =>
  async (orderId) => {
    const { orders }: Books = await (await fetch(`${url}/sandbox/books`)).json()
    return orders.some(({ id, deposited }) => id === orderId && deposited !== "0")
  }

/** What a person says who has looked. */
const resolveDoubts = async (config: string, journal: string, paid: Paid): Promise<void> => {
  for (const { id, order, state } of await openIn(journal)) {
    if (state !== "in doubt" || order === undefined) continue
    const isPaid = await paid(order.id)
    const { code, stderr } = await runHere(["resolve", id, isPaid ? "--paid" : "--not-paid", "--config", config])
    assert.strictEqual(code, 0, stderr)
  }
}

const answers = "FundingAcknowledged|FundingAnswered|DepositSeen|FundingDead|FundingInDoubt|Closed"

/** Runs until every order is closed and its money back. */
export const settle = async (config: string, strategy: string, journal: string, paid: Paid): Promise<void> => {
  const waiting = await unanswered(journal)
  const last = startHere(["run", strategy, "--config", config, "--cancel-on-exit", "--poll", "0.6s", "--json"])
  await last.says('"event":"BotStarted"')
  for (const id of waiting) await last.says(new RegExp(`"event":"(?:${answers})"[^\n]*"placement":"${id}"`))
  await resolveDoubts(config, journal, paid)
  last.signal("SIGTERM")
  const { code, stderr } = await last.ended
  assert.strictEqual(code, 0, stderr)
}
