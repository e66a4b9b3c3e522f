/**
 * `limitbot evidence ORDER --out FILE`: one file with everything that the journal has on an order, ready for a
 * support ticket.
 */

import { Clock, Console, Effect, FileSystem, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BotEvent } from "../../domain/BotEvent.ts"
import { iso } from "../../domain/Text.ts"
import * as Evidence from "../../ledger/Evidence.ts"
import * as Money from "../../report/text/Money.ts"
import { version } from "../../version.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import { type JournalView, withJournal } from "../journal/JournalView.ts"

export class NoEvidence extends Schema.TaggedError<NoEvidence>()("NoEvidence", { message: Schema.String }) {}

export const command = Command.make(
  "evidence",
  {
    order: Argument.String("order").pipe(
      Argument.withDescription("The venue's order id, its deposit address, an intent hash, or our placement (p7)")
    ),
    config: flags.config,
    out: FileName.flag("out").pipe(Flag.withDescription("The file to write; must not exist yet"))
  },
  Effect.fn(function* ({ order, config, out }) {
    const fold = Evidence.make(order)
    yield* withJournal(
      config,
      Effect.fnUntraced(function* (view) {
        const found = fold.result()
        if (found.length === 0) {
          const message = `The journal knows no order ${order}. Its orders: limitbot orders --config ${config}`
          return yield* new NoEvidence({ message })
        }
        const dossier = {
          writtenAt: iso(yield* Clock.currentTimeMillis),
          program: `limitbot ${version}`,
          account: view.state.run?.account ?? null,
          venue: view.state.run?.venue ?? null,
          asked: order,
          orders: yield* Effect.forEach(found, (each) => dossierOf(each, view))
        }
        const fileSystem = yield* FileSystem.FileSystem
        yield* fileSystem
          .writeFileString(out, `${JSON.stringify(dossier, undefined, 2)}\n`, { flag: "wx", mode: 0o600 })
          .pipe(Effect.mapError((cause) => new NoEvidence({ message: `Cannot write ${out}: ${cause.message}` })))
        const events = found.reduce((count, { moments }) => count + moments.length, 0)
        yield* Console.log(`${out}: ${events} events, no secrets`)
      }),
      { until: Number.POSITIVE_INFINITY, seen: fold.see }
    )
  })
).pipe(Command.withDescription("Write all that is known of an order into one file, for a support ticket"))

const encode = Schema.encodeEffect(BotEvent)

/** Anybody who reads signed bytes could send them again. */
const withoutSecrets = ({ signed: _, ...fields }: Readonly<Record<string, unknown>>) => fields

const dossierOf = Effect.fnUntraced(function* (
  { placement, moments }: Evidence.PlacementHistory,
  { state, assets }: JournalView
) {
  const timeline = yield* Effect.forEach(moments, ({ sequence, at, event }) =>
    Effect.map(Effect.orDie(encode(event)), (encoded) => ({
      // Recorded events can always be encoded.
      sequence,
      at: iso(at),
      ...withoutSecrets(encoded)
    }))
  )
  const findings = Evidence.findings(moments)
  const planned = moments[0]?.event
  const held = [...state.ledger.balances.values()].filter(({ entry: { owner } }) => owner === placement)
  const order = moments.map(({ event }) => event).find((event) => event._tag === "Bound")
  return {
    placement,
    slot: planned === undefined ? null : `${planned.strategy}/${planned.slot}`,
    order: order?.orderId ?? null,
    depositAddress: order?.depositAddress ?? null,
    state: state.placements.get(placement)?.state ?? "settled",
    moneyNow: held.map(({ entry: { account, asset }, amount }) => ({
      place: account,
      asset,
      amount: Money.amountText(assets, asset, amount)
    })),
    contradictions: findings.map(({ text }) => text),
    findings,
    correlationIds: Evidence.correlationIds(moments),
    hashes: Evidence.hashes(moments),
    requests: Evidence.requestsOf(moments).map(({ sequence, at, event }) => ({
      sequence,
      at: iso(at),
      request: event._tag
    })),
    timeline
  }
})
