/**
 * A program of the owner as the second source of prices, instead of the venue's token list. It is asked only if a price needs a second
 * source, once for each market and poll. It starts for each question, because that is rare (at a start, after a gap, after a jump) and an
 * old answer would be stale without notice. If it has no price or fails, the token list is used.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { elapsedMillis } from "../domain/Durations.ts"
import type { Market } from "../domain/Market.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import * as Program from "../programs/Program.ts"
import { type Listed, listedLastsMillis } from "./SecondSource.ts"

export const terms = { limitMillis: 5_000, mostOutput: 1_000, environment: "least", errors: "kept" } as const

export const questionOf = (market: string): string => {
  const [base, quote] = market.split("/")
  return `${JSON.stringify({ version: 1, market, base, quote })}\n`
}

const Answer = Schema.fromJsonString(
  Schema.Struct({
    price: Schema.NullOr(Schema.Union([Schema.FiniteFromString, Schema.Finite]).check(Schema.isGreaterThan(0))),
    at: Schema.optionalKey(Schema.String)
  })
)
const decode = Schema.decodeUnknownOption(Answer)

export type PriceAnswer =
  | { readonly _tag: "Told"; readonly listed: Listed }
  | { readonly _tag: "None" }
  | { readonly _tag: "Failed"; readonly reason: string }

const failed = (reason: string): PriceAnswer => ({ _tag: "Failed", reason })

export const answerOf = (run: Program.ProgramRun, now: number): PriceAnswer => {
  if (run.end._tag !== "Exited" || run.end.code !== 0) return failed(Program.endInWords(run, terms.limitMillis))
  const answer = Option.getOrUndefined(decode(run.output.trim()))
  if (answer === undefined) return failed('printed no {"price": …, "at": …}')
  const at = answer.at === undefined ? now : Timestamp.parse(answer.at)
  if (at === undefined) return failed(`printed an invalid time: ${answer.at}`)
  if (answer.price === null || now - at > listedLastsMillis) return { _tag: "None" }
  return { _tag: "Told", listed: { mid: answer.price, at, by: "your price program" } }
}

export const OwnPrices = Context.Reference<(market: Market) => Effect.Effect<Listed | undefined>>(
  "limitbot/orderbook/OwnPrices",
  { defaultValue: () => () => Effect.undefined }
)

/** Polls within this time share one answer, even a failure. */
const cacheMillis = 10_000

export const layer = (program: Program.Program | undefined) =>
  program === undefined ? Layer.empty : Layer.effect(OwnPrices, asking(program))

const asking = Effect.fnUntraced(function* (program: Program.Program) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const answers = new Map<string, { readonly at: number; readonly listed: Listed | undefined }>()
  let isFailing = false

  const ask = Effect.fn("SecondSourceProgram.ask")(
    function* (market: string) {
      const run = yield* Program.run(program, questionOf(market), terms)
      return answerOf(run, yield* Clock.currentTimeMillis)
    },
    Effect.catch(({ message }) => Effect.succeed(failed(message))),
    Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner)
  )

  const tell = Effect.fnUntraced(function* (answer: PriceAnswer) {
    const wasFailing = isFailing
    isFailing = answer._tag === "Failed"
    if (answer._tag === "Failed" && !wasFailing)
      yield* Effect.logWarning(
        `${program.program} ${answer.reason}; the token list replaces it as the second source of prices`
      )
  })

  return Effect.fnUntraced(function* ({ name }: Market) {
    const now = yield* Clock.currentTimeMillis
    const cachedAnswer = answers.get(name)
    if (cachedAnswer !== undefined && elapsedMillis(cachedAnswer.at, now) < cacheMillis) return cachedAnswer.listed
    const answer = yield* ask(name)
    yield* tell(answer)
    const listed = answer._tag === "Told" ? answer.listed : undefined
    answers.set(name, { at: now, listed })
    return listed
  })
})
