/**
 * How a torture ends: a last life of the bot withdraws everything, and both books are compared.
 *
 * What earlier lives sent and nobody answered has to be sent again before that: an order that is being withdrawn is paid no more, so
 * what became of such bytes would stay in doubt, for an hour. The last life is therefore asked to leave when every one of those
 * payments has its answer, and not after some seconds, in which a busy machine does not get that far.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as evidence from "./evidence.ts"
import { type Connection, type Program, start } from "./processes.ts"

/** The journal of a bot that may be running, and a client to ask the sandbox for its books. */
export const witnesses = (filename: string) =>
  Layer.mergeAll(
    Journal.layerReadOnly.pipe(Layer.provide(Sqlite.layer({ filename, readOnly: true }))),
    NodeHttpClient.layerUndici
  )

export const check = (journal: string, { url, account }: Connection) =>
  Effect.runPromise(Effect.provide(evidence.check(url, account.signerId), witnesses(journal)))

/** Placements whose payment is signed, and nobody has said yet what became of it. */
const unanswered = async (journal: string): Promise<Set<string>> => {
  const state = await Effect.runPromise(Effect.provide(replay, witnesses(journal)))
  const waiting = unfinished(state).filter((each) => each.state === "funding" && !each.funding.acknowledged)
  return new Set(waiting.map(({ id }) => id))
}

const answers: ReadonlySet<string> = new Set([
  "FundingAcknowledged",
  "FundingAnswered",
  "DepositSeen",
  "FundingDead",
  "FundingInDoubt",
  "Closed"
])

/** A bot that went on with this journal has an answer for every payment that it found without one. */
const isAnswered = async (bot: Program, waiting: Set<string>): Promise<void> => {
  await bot.line((line) => {
    const { event, placement }: { readonly event: string; readonly placement?: string } = JSON.parse(line)
    if (placement !== undefined && answers.has(event)) waiting.delete(placement)
    return waiting.size === 0
  })
}

/** Runs until every order is closed and its money back. */
export const settle = async (config: string, strategy: string, journal: string): Promise<void> => {
  const waiting = await unanswered(journal)
  const last = start(["run", strategy, "--config", config, "--cancel-on-exit", "--poll", "0.5s", "--json"])
  await isAnswered(last, waiting)
  last.child.kill("SIGTERM")
  assert.strictEqual(await last.ended, 0, last.errors.join(""))
}
