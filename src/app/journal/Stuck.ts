/** `limitbot orders --stuck`: orders whose money has been in one state for longer than its term, the oldest first. */
import { Effect, Option } from "effect"
import { iso } from "../../domain/Text.ts"
import { age } from "../../domain/Words.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import { type Overdue, overdueIn, type StepTerms } from "../../engine/tracking/Overdue.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import * as Answer from "../process/Answer.ts"
import { ofJournal } from "./JournalView.ts"

const sameForAll = (term: number): StepTerms => ({
  create: term,
  deposit: term,
  doubt: term,
  end: term,
  payout: term,
  refund: term
})

const nameOf = ({ placement: { id, order } }: Overdue): string => order?.id ?? id

const list = (assets: Money.Assets, now: number) =>
  Table.of<Overdue>([
    { key: "slot", title: "SLOT", value: ({ placement: { strategy, slot } }) => slotKey(strategy, slot) },
    { key: "placement", value: ({ placement }) => placement.id },
    { key: "order", title: "ORDER", value: ({ placement }) => placement.order?.id, text: nameOf },
    { key: "state", title: "STATE", value: ({ placement }) => placement.state },
    { key: "since", value: ({ since }) => iso(since) },
    { key: "forMillis", title: "FOR", value: ({ since }) => now - since, text: ({ since }) => age(now - since) },
    { key: "termMillis", value: ({ term }) => term },
    {
      key: "term",
      title: "TERM",
      value: ({ waitsFor }) => waitsFor,
      text: ({ term, waitsFor }) => `${waitsFor} ${age(term)}`
    },
    { key: "waitsFor", title: "WAITS FOR", value: ({ text }) => text },
    {
      key: "input",
      title: "MONEY",
      value: ({ placement: { inputAsset, inputAmount } }) => Money.withSymbol(assets, inputAsset, inputAmount)
    },
    { key: "depositAddress", value: ({ placement }) => placement.order?.depositAddress }
  ])

/** By one term for all states, or by those of the configuration. */
export const stuck = Effect.fn("stuck")(function* (config: string, after: Option.Option<number>) {
  const { stuckAfter } = yield* ConfigFile.loadSettings(config)
  const terms = Option.match(after, { onNone: () => stuckAfter, onSome: sameForAll })
  return yield* ofJournal(config, ({ state, assets, now }) => {
    const rows = overdueIn(state, terms, now)
    const answer = Answer.ofList(list(assets, now), rows, "Nothing is stuck: every order is within its term.")
    const ticket = rows
      .slice(0, 1)
      .flatMap((row) => ["", `For a support ticket: limitbot evidence ${nameOf(row)} --out evidence.json`])
    return { ...answer, lines: () => [...answer.lines(), ...ticket] }
  })
})
