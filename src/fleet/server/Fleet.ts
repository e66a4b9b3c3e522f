/**
 * What a page over many bots is made of: accounts of a fleet and bots of their own. The command line fills it in. Nothing here moves
 * money: a command to an account is a row for its owner, and a command to a bot is a request to its own control server.
 */
import { Context, type Effect } from "effect"
import type { Refused, Unknown } from "../../control/api/ControlApi.ts"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"
import type { FleetCommand } from "./FleetApi.ts"
import type { BotDetail, BotLine } from "./FleetView.ts"

export interface CommandedBots {
  /** What was done, in one sentence. */
  readonly message: string
  /** Who could not be told: what they do is as it was. */
  readonly notTold: ReadonlyArray<string>
}

export class Fleet extends Context.Service<
  Fleet,
  {
    /** As they were a moment ago at most. */
    readonly lines: Effect.Effect<ReadonlyArray<BotLine>, Refused>
    detail(name: string): Effect.Effect<BotDetail, Refused | Unknown>
    command(
      command: FleetCommand,
      names: ReadonlyArray<string>,
      said: { readonly by: string; readonly why: string | undefined }
    ): Effect.Effect<CommandedBots, Refused | Unknown>
    /** Says what was done in one sentence. */
    resolve(name: string, by: string, answer: OperatorAnswer): Effect.Effect<string, Refused | Unknown>
  }
>()("limitbot/control/Fleet") {}
