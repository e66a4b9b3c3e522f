/**
 * The services of a running bot for outside readers and operators. `app/run/BotRun.ts` implements them. Nothing here moves money:
 * commands become events in the journal, and the engine applies them in its next turn, as it would after a restart.
 */
import { Context, type Effect } from "effect"
import type { Reason } from "../domain/BotEvent.ts"
import type { Market } from "../domain/Market.ts"
import type { BacktestAnswer } from "../views/Backtest.ts"
import type { Explanation } from "../views/Explanation.ts"
import type { Plan } from "../views/Plan.ts"
import type { Reconciliation } from "../views/Reconciliation.ts"
import type { RunningFacts } from "../views/Status.ts"
import type { Refused } from "./api/ControlApi.ts"
import type { FileText, StrategyFileView } from "./api/Files.ts"
import type { CloseAnswer, CloseRequest, OrderAnswer, OrderChange, OrderRequest, OrderStanding } from "./api/Order.ts"
import type { SwapOffer, SwapRequest } from "./api/Swap.ts"
import type { PhoneServices } from "./push/PhoneServices.ts"
import type { SignalServices } from "./Signals.ts"

/** Answers that need more than the present state: files, the venue, the whole journal. */
export interface BotServices {
  readonly files: Effect.Effect<ReadonlyArray<StrategyFileView>, Refused>
  /** Returns the problems that these texts have or bring into other files; none if they may be applied. */
  check(texts: ReadonlyArray<FileText>): Effect.Effect<ReadonlyArray<string>, Refused>
  /** Writes the file of one running strategy, if the text is valid and the file is still as the caller saw it. */
  apply(file: FileText, hash: string): Effect.Effect<void, Refused>
  plan(texts: ReadonlyArray<FileText>): Effect.Effect<typeof Plan.Type, Refused>
  /** Writes an end with a sale into the strategy's file, or only shows the plan of that. */
  close(request: CloseRequest): Effect.Effect<CloseAnswer, Refused>
  /** Runs the file on disk, or `text` in its place. */
  backtest(file: string, text?: string): Effect.Effect<typeof BacktestAnswer.Type, Refused>
  /** `at`: a time or an age, as `explain --at` accepts it. */
  explain(slot: string | undefined, at: string | undefined): Effect.Effect<ReadonlyArray<Explanation>, Refused>
  readonly reconcile: Effect.Effect<typeof Reconciliation.Type, Refused>
  readonly orders: OrderServices
}

/** Orders by hand. A key that was used before places nothing again. */
export interface OrderServices {
  readonly list: Effect.Effect<ReadonlyArray<OrderStanding>, Refused>
  place(request: OrderRequest, key: string): Effect.Effect<OrderAnswer, Refused>
  change(request: OrderChange): Effect.Effect<OrderAnswer, Refused>
  cancel(order: string): Effect.Effect<OrderAnswer, Refused>
}

export interface SwapServices {
  quote(request: SwapRequest): Effect.Effect<SwapOffer, Refused>
  /** Makes the swap of a quote; returns its name. A quote can be used once. */
  take(quote: string): Effect.Effect<string, Refused>
}

export class Bot extends Context.Service<
  Bot,
  RunningFacts & {
    readonly markets: ReadonlyMap<string, Market>
    readonly wake: Effect.Effect<unknown>
    withdrawPlacements(placements: ReadonlyArray<string>, why: Reason): Effect.Effect<unknown>
    /** The kill switch: the same file that works without this server. */
    setKillSwitch(why: string): Effect.Effect<void, Refused>
    readonly releaseKillSwitch: Effect.Effect<void, Refused>
    /** Applies the files. `objection` says why `own` or any does not run, or "". `note` names the others, or is "". */
    reload(own?: string): Effect.Effect<{ readonly objection: string; readonly note: string }, Refused>
    readonly services: BotServices
    readonly signals: SignalServices
    readonly swaps: SwapServices
    readonly phones: PhoneServices | undefined
  }
>()("limitbot/control/Bot") {}
