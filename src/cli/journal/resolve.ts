/** `limitbot resolve`: shows what only the operator can decide and takes their word, with or without a running bot. */
import { Clock, Console, Effect, FileSystem, Option, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { iso } from "../../domain/Text.ts"
import * as Problems from "../../engine/funding/Problems.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import { counted } from "../../report/text/Words.ts"
import * as RunningBot from "../control/RunningBot.ts"
import * as flags from "../flags.ts"
import * as Modes from "../Modes.ts"
import { Process } from "../Process.ts"
import { WrongUsage } from "../Usage.ts"
import { type JournalView, withJournal } from "./JournalView.ts"
import * as ResolveFile from "./ResolveFile.ts"

/** The word cannot be accepted. */
export class NotResolved extends Schema.TaggedError<NotResolved>()("NotResolved", { message: Schema.String }) {}

/** A running bot acts on the word at its next turn; a bot that hangs still finds it later. */
const patienceMillis = 15_000
const lookMillis = 200
const answerMillis = 5_000

const words: ReadonlyArray<Problems.Word> = ["paid", "not-paid", "adopt", "forget"]

const flag = (name: Problems.Word, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const command = Command.make(
  "resolve",
  {
    placement: Argument.String("placement").pipe(
      Argument.withDescription("The placement, as the list names it; default: the list"),
      Argument.optional
    ),
    paid: flag("paid", "The payment was made, or the failed payout arrived after all"),
    "not-paid": flag("not-paid", "The payment was not made: its money is free again"),
    adopt: flag("adopt", "The venue is right: the slot goes on with what it says"),
    forget: flag("forget", "Take it off the books: what it holds stays named as unexplained"),
    because: Flag.String("because").pipe(
      Flag.withDescription("Why, for the journal"),
      Flag.withDefault("said by the operator")
    ),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ because: text, config, json, placement, ...given }) {
    const said = words.filter((word) => given[word])
    const [word] = said
    if (Option.isNone(placement)) {
      if (word !== undefined) return yield* new WrongUsage({ message: `--${word}: of which placement?` })
      return yield* withJournal(config, (view) => list(view, json))
    }
    if (word === undefined || said.length > 1) {
      const message = `Say one of ${words.map((each) => `--${each}`).join(", ")} about ${placement.value}`
      return yield* new WrongUsage({ message })
    }
    yield* withJournal(config, (view) => settle(view, { placement: placement.value, word, text }, json))
  })
).pipe(Command.withDescription("List what is in doubt, frozen or contradictory, and say what happened"))

const list = ({ assets, now, state }: JournalView, json: boolean) => {
  const problems = Problems.problemsOf(state, now)
  if (json) {
    const shown = problems.map(({ amount, asset, strategy, slot, ...problem }) => ({
      ...problem,
      slot: `${strategy}/${slot}`,
      asset,
      amount: Money.amountText(assets, asset, amount)
    }))
    return Console.log(JSON.stringify({ problems: shown }))
  }
  if (problems.length === 0) return Console.log("Nothing is in doubt, frozen or contradictory.")
  const rows = problems.map(({ amount, asset, kind, placement, since, slot, strategy }) => [
    placement,
    kind,
    `${strategy}/${slot}`,
    Money.withSymbol(assets, asset, amount),
    iso(since)
  ])
  const table = Table.render(
    ["PLACEMENT", "KIND", "SLOT", "AMOUNT", "SINCE"].map((title) => ({ title })),
    rows
  )
  const evidence = problems.map(({ evidence, placement }) => `${placement}: ${evidence}`)
  const ask = `${counted(problems.length, "problem")}. Say what happened: limitbot resolve PLACEMENT --paid, --not-paid, --adopt or --forget`
  return Console.log([...table, "", ...evidence, "", ask].join("\n"))
}

const settle = Effect.fnUntraced(function* (
  { journal, now, state }: JournalView,
  answer: Problems.OperatorAnswer,
  json: boolean
) {
  const { placement, word } = answer
  yield* Effect.mapError(
    Effect.fromResult(Problems.resolve(state, answer, now)),
    (message) => new NotResolved({ message })
  )
  const holder = yield* Lease.holder(journal)
  const by =
    holder === undefined
      ? yield* write(journal, answer)
      : (yield* say(journal, answer))
        ? "bot"
        : yield* handOver(journal, answer, holder)
  if (json) return yield* Console.log(JSON.stringify({ resolved: placement, word, by }))
  const text = `${placement}: taken as ${word === "adopt" ? "the venue says" : word === "forget" ? "forgotten" : word}`
  yield* Console.log(by === "bot" ? `${text}, by the running bot` : text)
})

/** No bot runs, so this command takes the lease for the moment of writing. */
const write = Effect.fnUntraced(function* (journal: string, answer: Problems.OperatorAnswer) {
  const { pid } = yield* Process
  yield* Effect.gen(function* () {
    const books = yield* Bookkeeper
    yield* note(answer, books)
  }).pipe(Effect.provide(Modes.books(journal, pid)))
  return "journal" as const
})

/** Tells the running bot itself; false if it has no control server or does not answer. */
const say = (journal: string, { placement, text: why, word }: Problems.OperatorAnswer) =>
  RunningBot.ask(journal, (api) => api.command.resolve({ payload: { placement, word, why } })).pipe(
    Effect.timeout(answerMillis),
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )

/** For a bot that cannot be reached, even one that hangs: a file that it picks up at its next turn. */
const handOver = Effect.fnUntraced(function* (journal: string, answer: Problems.OperatorAnswer, { pid }: Lease.Holder) {
  const fileSystem = yield* FileSystem.FileSystem
  const file = yield* ResolveFile.put(journal, answer)
  const until = (yield* Clock.currentTimeMillis) + patienceMillis
  while (yield* fileSystem.exists(file)) {
    if ((yield* Clock.currentTimeMillis) > until) {
      const message = `The running bot (process ${pid}) has not taken it up yet; it will at its next turn, or its next start`
      return yield* new NotResolved({ message })
    }
    yield* Effect.sleep(lookMillis)
  }
  return "bot" as const
})

/** Records the operator's word, unless the venue has settled the question in the meantime. */
export const note = Effect.fnUntraced(function* (answer: Problems.OperatorAnswer, books: Bookkeeper["Service"]) {
  const now = yield* Clock.currentTimeMillis
  yield* books.recordFrom((state) => {
    const verdict = Problems.resolve(state, answer, now)
    return Result.isSuccess(verdict) ? [verdict.success] : []
  })
})
