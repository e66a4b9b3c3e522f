/** `limitbot stuck`: orders whose money has been in one state for longer than it should, the oldest first. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { minuteMillis } from "../../domain/Durations.ts"
import { iso } from "../../domain/Text.ts"
import { unfinished } from "../../engine/state/BotState.ts"
import type { Placement } from "../../engine/state/Placement.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { age } from "../../report/text/Words.ts"
import * as flags from "../flags.ts"
import { withJournal } from "../journal/JournalView.ts"

/** How long each state may take before somebody should look. */
const terms: Readonly<Record<string, number>> = {
  creating: 10 * minuteMillis,
  created: 10 * minuteMillis,
  funding: 15 * minuteMillis,
  "in doubt": 30 * minuteMillis,
  closing: 60 * minuteMillis
}
/** After its deadline the venue ends an order. */
const afterDeadline = 15 * minuteMillis

interface Stuck {
  readonly placement: Placement
  readonly since: number
  readonly term: number
}

const stuckIn = (placements: ReadonlyArray<Placement>, now: number, after: number | undefined): ReadonlyArray<Stuck> =>
  placements
    .flatMap((placement): ReadonlyArray<Stuck> => {
      const since = placement.state === "open" ? placement.deadline : placement.changedAt
      const term = after ?? (placement.state === "open" ? afterDeadline : terms[placement.state])
      const isLate = term !== undefined && now - since > term
      const isGivenUp = placement.payout === "failed" || placement.refund === "failed"
      return isLate || isGivenUp || placement.contradiction !== undefined ? [{ placement, since, term: term ?? 0 }] : []
    })
    .sort((a, b) => a.since - b.since)

const waitsFor = ({ state, payout, refund, contradiction }: Placement): string => {
  if (contradiction !== undefined) return `somebody: ${contradiction}`
  if (payout === "failed") return "somebody: its payout failed"
  if (refund === "failed") return "somebody: its refund failed"
  if (state === "closing") return payout === "started" ? "its payout" : "its payout or refund"
  if (state === "in doubt") return "a word on its funding: limitbot resolve"
  return state === "open" ? "the venue to end it after its deadline" : "the venue's answer"
}

export const command = Command.make(
  "stuck",
  {
    config: flags.config,
    after: Flag.String("after").pipe(
      Flag.withSchema(flags.DurationText),
      Flag.withDescription("One term for all states, for example 10m; default: 10 minutes to an hour, by state"),
      Flag.optional
    ),
    json: flags.json
  },
  Effect.fn(function* ({ config, after, json }) {
    yield* withJournal(config, ({ state, assets, now }) => {
      const found = stuckIn(unfinished(state), now, Option.getOrUndefined(after))
      const rows = found.map(({ placement, since, term }) => ({
        slot: `${placement.strategy}/${placement.slot}`,
        placement: placement.id,
        order: placement.order?.id ?? null,
        state: placement.state,
        since: iso(since),
        forMillis: now - since,
        termMillis: term,
        waitsFor: waitsFor(placement),
        input: Money.withSymbol(assets, placement.inputAsset, placement.inputAmount),
        depositAddress: placement.order?.depositAddress ?? null
      }))
      if (json) return Console.log(JSON.stringify(rows))
      if (rows.length === 0) return Console.log("Nothing is stuck: every order is within its term.")
      const table = Table.render(
        ["SLOT", "ORDER", "STATE", "FOR", "WAITS FOR", "MONEY"].map((title) => ({ title })),
        rows.map((row) => [
          row.slot,
          row.order ?? row.placement,
          row.state,
          age(row.forMillis),
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
