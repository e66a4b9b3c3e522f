/**
 * What a running bot offers to those who watch or command it from outside. The command line fills it in. Nothing here
 * moves money: commands become events in the journal, and the engine obeys them in its next turn, as it would after a
 * restart.
 */
import { Context, type Effect } from "effect"
import type { Reason } from "../domain/BotEvent.ts"
import type { Market, TwoSidedPrice } from "../domain/Market.ts"
import type { StepTerms } from "../engine/tracking/Overdue.ts"
import type * as Money from "../report/text/Money.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import type { BacktestAnswer } from "../views/Backtest.ts"
import type { Explanation } from "../views/Explanation.ts"
import type { Plan } from "../views/Plan.ts"
import type { Pulse } from "../views/Pulse.ts"
import type { Reconciliation } from "../views/Reconciliation.ts"
import type { Refused } from "./api/ControlApi.ts"
import type { FileText, StrategyFileView } from "./api/Files.ts"
import type { SwapOffer, SwapRequest } from "./api/Swap.ts"
import type { PhoneServices } from "./push/PhoneServices.ts"
import type { SignalServices } from "./Signals.ts"

/**
 * Answers that need more than the present state: files, the venue, the whole journal.
 */
export interface BotServices {
  readonly files: Effect.Effect<ReadonlyArray<StrategyFileView>, Refused>
  /** Problems of these texts together with the other files as they are; none means that they may be applied. */
  check(texts: ReadonlyArray<FileText>): Effect.Effect<ReadonlyArray<string>, Refused>
  /** Writes the file of one running strategy, if the text is sound and the file is still what the caller saw. */
  apply(file: FileText, hash: string): Effect.Effect<void, Refused>
  /** What a run would do now with these texts in place of some files. */
  plan(texts: ReadonlyArray<FileText>): Effect.Effect<typeof Plan.Type, Refused>
  /** A running strategy over the prices that the bot itself has seen: what it would have made of them, as a band. */
  backtest(file: string): Effect.Effect<typeof BacktestAnswer.Type, Refused>
  /** `at`: a time or an age, as `explain --at` accepts it. */
  explain(slot: string | undefined, at: string | undefined): Effect.Effect<ReadonlyArray<Explanation>, Refused>
  readonly reconcile: Effect.Effect<typeof Reconciliation.Type, Refused>
}

/** Swaps by hand, made by the bot as placements of its own. */
export interface SwapServices {
  quote(request: SwapRequest): Effect.Effect<SwapOffer, Refused>
  /** Makes the swap of a quote; returns its name. A quote is taken once. */
  take(quote: string): Effect.Effect<string, Refused>
}

export class Bot extends Context.Service<
  Bot,
  Pulse & {
    readonly journal: string
    readonly assets: Money.Assets
    readonly markets: ReadonlyMap<string, Market>
    /** The last price of each market that is watched. */
    readonly prices: ReadonlyMap<string, TwoSidedPrice>
    readonly strategies: () => ReadonlyArray<Strategy>
    /** How long each step of an order may take. */
    readonly stuckAfter: StepTerms
    /** Begins the next turn now. */
    readonly wake: Effect.Effect<unknown>
    withdrawPlacements(placements: ReadonlyArray<string>, why: Reason): Effect.Effect<unknown>
    /** The kill switch: the same file that works without this server. */
    setKillSwitch(why: string): Effect.Effect<void, Refused>
    readonly releaseKillSwitch: Effect.Effect<void, Refused>
    /** Takes up the strategy files as they are now; says why not, else nothing. */
    readonly reload: Effect.Effect<string, Refused>
    readonly services: BotServices
    readonly signals: SignalServices
    readonly swaps: SwapServices
    /** Left out where no phone can be told. */
    readonly phones: PhoneServices | undefined
  }
>()("limitbot/control/Bot") {}
