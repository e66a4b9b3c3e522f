/**
 * `limitbot explain [STRATEGY/SLOT]`: why a slot holds what it holds, or nothing: the decision with its rule, what our limits
 * and the venue said, and the numbers that would change it.
 */
import { Console, DateTime, Effect, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import type { Of, Reason } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { mid } from "../domain/Market.ts"
import { type BotState, type Placement, type StrategyState, slotKey, unfinished } from "../engine/BotState.ts"
import * as Money from "../report/Money.ts"
import { age, counted } from "../report/Words.ts"
import * as flags from "./flags.ts"
import { withJournal } from "./JournalView.ts"

export class NoSuchSlot extends Schema.TaggedError<NoSuchSlot>()("NoSuchSlot", {
  slot: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `There is no slot ${this.slot}. There are: ${this.known.slice(0, 30).join(", ")}${this.known.length > 30 ? ", …" : ""}`
  }
}

/** One slot's explanation; every line is a fact with its number. */
interface Explanation {
  readonly slot: string
  readonly verdict: string
  readonly because: ReadonlyArray<string>
  readonly wouldChange: ReadonlyArray<string>
}

const time = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

const cause = ({ code, text, source }: Reason): string =>
  `${text} [${code}${source === undefined ? "" : `, ${source}`}]`

export const explain = (state: BotState, assets: Money.Assets, now: number): ReadonlyArray<Explanation> => {
  const live = new Map(unfinished(state).map((placement) => [slotKey(placement.strategy, placement.slot), placement]))
  return [...state.strategies.values()].flatMap((strategy) =>
    slotsOf(strategy).map((name) => {
      const key = slotKey(strategy.name, name)
      const placement = live.get(key)
      return {
        slot: key,
        verdict: verdict(placement, assets, now),
        because: because(state, strategy, name, placement),
        wouldChange: strategy.decision === undefined ? [] : wouldChange(strategy.decision)
      }
    })
  )
}

const slotsOf = ({ decision }: StrategyState): ReadonlyArray<string> =>
  decision === undefined ? [] : [...decision.desired, ...decision.absent].map(({ slot }) => slot).sort()

const verdict = (placement: Placement | undefined, assets: Money.Assets, now: number): string => {
  if (placement === undefined) return "holds nothing"
  const base = placement.side === "SELL" ? placement.inputAsset : placement.outputAsset
  return `holds ${placement.side} ${Money.withSymbol(assets, base, placement.quantity)} at ${Decimal.format(placement.price)}, ${placement.state}, for ${age(now - placement.plannedAt)}`
}

const because = (
  state: BotState,
  strategy: StrategyState,
  name: string,
  placement: Placement | undefined
): ReadonlyArray<string> => {
  const slot = state.slots.get(slotKey(strategy.name, name))
  const { decision } = strategy
  const wished = decision?.desired.find((desired) => desired.slot === name)
  const absent = decision?.absent.find((other) => other.slot === name)
  const refusal = strategy.refusals.get(name)
  return [
    ...(wished === undefined ? [] : [`the strategy wants it: ${cause(wished.why)}`]),
    ...(absent === undefined ? [] : [`the strategy wants nothing: ${cause(absent.why)}`]),
    ...(placement === undefined && refusal !== undefined ? [`refused: ${refusal}`] : []),
    ...(placement?.cancel === undefined ? [] : [`it is being cancelled: ${cause(placement.cancel.why)}`]),
    ...(placement?.status === undefined ? [] : [`the venue says ${placement.status}`]),
    ...(placement?.funding?.lastAnswer === undefined ? [] : [`funding was answered ${placement.funding.lastAnswer}`]),
    ...(slot?.frozen === undefined ? [] : [`frozen: ${slot.frozen}`]),
    ...(state.killed === undefined ? [] : [`the kill switch is on: ${state.killed}`]),
    ...(slot === undefined ? [] : [`${counted(slot.completedLegs, "leg")} completed so far`]),
    ...(decision === undefined
      ? []
      : [`decided ${time(strategy.decidedAt)} at bid ${short(decision.bid)}, ask ${short(decision.ask)}`])
  ]
}

const short = (price: Decimal.Decimal): string => Decimal.format(Decimal.fromNumber(Decimal.toNumber(price), 8))

const wouldChange = ({ until, bid, ask }: Of<"Decided">): ReadonlyArray<string> => {
  const now = short(mid({ bid, ask, at: 0 }))
  return [
    ...(until.priceBelow === undefined ? [] : [`a mid of ${Decimal.format(until.priceBelow)} or less (then ${now})`]),
    ...(until.priceAbove === undefined ? [] : [`a mid of ${Decimal.format(until.priceAbove)} or more (then ${now})`]),
    ...(until.time === undefined ? [] : [`the time ${time(until.time)}`]),
    ...(until.barClose === undefined ? [] : [`the close of a ${until.barClose} candle`]),
    ...(until.onFill ? ["a fill"] : ["nothing but a fill of this slot, which arms its next leg"])
  ]
}

export const command = Command.make(
  "explain",
  {
    slot: Argument.String("strategy/slot").pipe(
      Argument.withDescription("A slot as `status` shows it; all slots when left out"),
      Argument.optional
    ),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(function* ({ slot, config, json }) {
    yield* withJournal(config, ({ state, assets, now }) =>
      Effect.gen(function* () {
        const all = explain(state, assets, now)
        const wanted = Option.match(slot, {
          onNone: () => all,
          onSome: (name) => all.filter((each) => each.slot === name || each.slot.startsWith(`${name}/`))
        })
        if (wanted.length === 0 && Option.isSome(slot)) {
          return yield* new NoSuchSlot({ slot: slot.value, known: all.map((each) => each.slot) })
        }
        if (json) return yield* Console.log(JSON.stringify(wanted))
        for (const { slot, verdict, because, wouldChange } of wanted) {
          yield* Console.log(`${slot} ${verdict}`)
          for (const line of because) yield* Console.log(`  because ${line}`)
          for (const line of wouldChange) yield* Console.log(`  changes with ${line}`)
        }
      })
    )
  })
).pipe(Command.withDescription("Explain why a slot holds what it holds, or nothing, and what would change that"))
