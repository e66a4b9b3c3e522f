/**
 * Declares the port to the bot that a command is about. `app/bots` has its layers: the bot of a configuration, whose files are on this
 * machine, and an account of a fleet, whose files and journal are in a database that only its owner writes.
 */
import { Context, type Effect, type Layer } from "effect"
import type { CommandName } from "../../control/api/OperatorCommands.ts"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import type { Verified } from "../../journal/Chain.ts"
import type { Journal } from "../../journal/Journal.ts"
import type { PriceStore } from "../../journal/PriceStore.ts"
import type { WrongUsage } from "../../process/WrongUsage.ts"
import type { Reconciliation } from "../../views/Reconciliation.ts"
import type { Looked } from "./Containment.ts"

interface Standing {
  readonly running: string | undefined
  /** Missing for an account of a fleet. */
  readonly pid: number | undefined
  readonly killSwitch: string | undefined
}

type Asked<A> = Effect.Effect<A, Error>

export class ChosenBot extends Context.Service<
  ChosenBot,
  {
    readonly flag: string
    readonly settings: Asked<BotSettings>
    /** Its journal, read only, and the prices that it saw. Fails if there is no journal yet. */
    reading(settings: BotSettings): Layer.Layer<Journal | PriceStore, Error>
    /** Returns the path of its configuration. An account of a fleet has none and fails with `refusal`. */
    file(refusal: string): Effect.Effect<string, WrongUsage>
    standing(journal: string, now: number): Asked<Standing>
    /** Verifies its journal, whose chain must contain the expected heads. */
    verified(expected: ReadonlyArray<string>): Asked<Verified & { readonly journal: string }>
    command(name: CommandName, target: string | undefined, why: string | undefined): Asked<string>
    /** Returns the writer of the answer: its bot, or this command into the journal. */
    resolve(journal: string, answer: OperatorAnswer): Asked<"bot" | "journal">
    compared(acceptBalances: boolean): Asked<typeof Reconciliation.Type>
    /** Lists who can still act for it. The orders at the venue are read last: only a later read can know more. */
    actors(
      state: BotState
    ): Asked<{ readonly commanding: ReadonlyArray<Looked>; readonly orders: Effect.Effect<Looked> }>
  }
>()("limitbot/app/ChosenBot") {}
