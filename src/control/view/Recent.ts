/**
 * What people want to see and the present state does not keep: the latest events, the fills, what each slot has
 * earned, and how the holdings moved. It is folded from the journal once, in the background, and then kept up to
 * date. All lists are bounded; older events are in the journal.
 */
import { Effect, Schema, Stream } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import { BotEvent, type Of, type Recorded } from "../../domain/BotEvent.ts"
import * as CostBasis from "../../domain/CostBasis.ts"
import { slotKey } from "../../engine/state/BotState.ts"
import type { Journal } from "../../journal/Journal.ts"
import { describe } from "../../report/text/EventLine.ts"
import type * as Money from "../../report/text/Money.ts"
import type { FillView, LineView } from "../api/Views.ts"
import { fillView } from "./lists.ts"

const mostLines = 20_000
const mostFills = 20_000
const mostMoves = 60_000

/** A change in what all strategies together hold of an asset. `budget`: money came or went, and nothing was traded. */
export interface Move {
  readonly at: number
  readonly asset: string
  readonly amount: Amount
  readonly because: "budget" | "trade"
}

export interface Recent {
  /** The newest event that is included here. */
  sequence: number
  readonly lines: Array<LineView>
  readonly fills: Array<FillView>
  readonly moves: Array<Move>
  /** By slot. */
  readonly earned: Map<string, CostBasis.CostBasis>
  /** Totals by strategy and asset, to see what a new budget changes. */
  readonly budgets: Map<string, Amount>
}

export const make = (): Recent => ({
  sequence: 0,
  lines: [],
  fills: [],
  moves: [],
  earned: new Map(),
  budgets: new Map()
})

const encode = Schema.encodeSync(BotEvent)

/** An event for people and programs. Signed bytes stay in the journal: whoever has them can move the money. */
export const lineOf = ({ sequence, at, event }: Recorded, assets: Money.Assets): LineView => {
  const line = describe(event, assets)
  const { _tag: tag, ...fields } = encode(event)
  const subject = "slot" in event ? slotKey(event.strategy, event.slot) : "strategy" in event ? event.strategy : ""
  return {
    sequence,
    at,
    tag,
    subject: line?.subject ?? subject,
    text: line?.text ?? "",
    weight: line?.weight ?? "quiet",
    fields: "signed" in fields ? { ...fields, signed: "kept in the journal" } : fields
  }
}

/** Whether a line contains every one of these words, anywhere. */
export const mentions = (search: string): ((line: LineView) => boolean) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ subject, tag, text }) => {
    const all = `${tag} ${subject} ${text}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
}

export const note = (recent: Recent, recorded: Recorded, assets: Money.Assets): void => {
  const { sequence, event } = recorded
  if (sequence <= recent.sequence) return
  recent.sequence = sequence
  keep(recent.lines, lineOf(recorded, assets), mostLines)
  for (const move of movesOf(recent, recorded)) keep(recent.moves, move, mostMoves)
  if (event._tag !== "FillSeen") return
  keep(recent.fills, fillView(sequence, event, assets), mostFills)
  earn(recent, event)
}

/** Drops a tenth at a time, so that a full list costs no more than a growing one. */
const keep = <A>(list: Array<A>, entry: A, most: number): void => {
  list.push(entry)
  if (list.length > most) list.splice(0, Math.floor(most / 10))
}

const earn = ({ earned }: Recent, event: Of<"FillSeen">): void => {
  const key = slotKey(event.strategy, event.slot)
  const [base, quote] = event.side === "BUY" ? [event.amountOut, event.amountIn] : [event.amountIn, event.amountOut]
  earned.set(key, CostBasis.trade(earned.get(key) ?? CostBasis.empty, event.side, base, quote))
}

const movesOf = (recent: Recent, { at, event }: Recorded): ReadonlyArray<Move> => {
  switch (event._tag) {
    case "BudgetAllotted": {
      const key = slotKey(event.strategy, event.asset)
      const change = event.amount - (recent.budgets.get(key) ?? 0n)
      recent.budgets.set(key, event.amount)
      return [{ at, asset: event.asset, amount: change, because: "budget" }]
    }
    case "FillSeen":
      return [
        { at, asset: event.inputAsset, amount: -event.amountIn, because: "trade" },
        { at, asset: event.outputAsset, amount: event.amountOut, because: "trade" }
      ]
    case "PaidOut":
    case "Refunded":
      return event.fee === 0n ? [] : [{ at, asset: event.asset, amount: -event.fee, because: "trade" }]
    default:
      return []
  }
}

/** Reads what the journal has beyond it. */
export const catchUp = (recent: Recent, assets: Money.Assets, journal: Journal["Service"]) =>
  journal.events({ after: recent.sequence }).pipe(
    Stream.runForEachArray((page) =>
      Effect.andThen(
        Effect.sync(() => {
          for (const recorded of page) note(recent, recorded, assets)
        }),
        Effect.yieldNow // The bot goes first.
      )
    )
  )
