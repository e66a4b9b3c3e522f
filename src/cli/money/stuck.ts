/** `limitbot stuck`: orders whose money has been in one state for longer than its term, the oldest first. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { withJournal } from "../../app/journal/JournalView.ts"
import { iso } from "../../domain/Text.ts"
import { age } from "../../domain/Words.ts"
import { overdueIn, type StepTerms } from "../../engine/tracking/Overdue.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"

const sameForAll = (term: number): StepTerms => ({
  create: term,
  deposit: term,
  doubt: term,
  end: term,
  payout: term,
  refund: term
})

export const command = Command.make(
  "stuck",
  {
    config: flags.config,
    after: Flag.String("after").pipe(
      Flag.withSchema(flags.DurationText),
      Flag.withDescription(
        "One term for all states, for example 10m; default: those of stuckAfter in the configuration"
      ),
      Flag.optional
    ),
    json: flags.json
  },
  Effect.fn(function* ({ config, after, json }) {
    const { stuckAfter } = yield* ConfigFile.loadSettings(config)
    const terms = Option.match(after, { onNone: () => stuckAfter, onSome: sameForAll })
    yield* withJournal(config, ({ state, assets, now }) => {
      const rows = overdueIn(state, terms, now).map(({ placement, since, term, waitsFor, text }) => ({
        slot: `${placement.strategy}/${placement.slot}`,
        placement: placement.id,
        order: placement.order?.id ?? null,
        state: placement.state,
        since: iso(since),
        forMillis: now - since,
        termMillis: term,
        term: waitsFor,
        waitsFor: text,
        input: Money.withSymbol(assets, placement.inputAsset, placement.inputAmount),
        depositAddress: placement.order?.depositAddress ?? null
      }))
      if (json) return Console.log(JSON.stringify(rows))
      if (rows.length === 0) return Console.log("Nothing is stuck: every order is within its term.")
      const table = Table.render(
        ["SLOT", "ORDER", "STATE", "FOR", "TERM", "WAITS FOR", "MONEY"].map((title) => ({ title })),
        rows.map((row) => [
          row.slot,
          row.order ?? row.placement,
          row.state,
          age(row.forMillis),
          `${row.term} ${age(row.termMillis)}`,
          row.waitsFor,
          row.input
        ])
      )
      const first = rows[0]?.order ?? rows[0]?.placement
      return Console.log(
        [...table, "", `For a support ticket: limitbot evidence ${first} --out evidence.json`].join("\n")
      )
    })
  })
).pipe(Command.withDescription("List orders that wait longer than they should, oldest first"))
