/** The services of the page over many bots. Nothing here moves money: commands are rows for owners, or requests to bots' servers. */
import { Context, type Effect } from "effect"
import type { Refused, Unknown } from "../../control/api/ControlApi.ts"
import type { OperatorAnswer } from "../../engine/funding/Problems.ts"
import type { FleetCommand } from "./FleetApi.ts"
import type { BotDetail, BotLine } from "./FleetView.ts"

export class Fleet extends Context.Service<
  Fleet,
  {
    readonly lines: Effect.Effect<ReadonlyArray<BotLine>, Refused>
    detail(name: string): Effect.Effect<BotDetail, Refused | Unknown>
    /** `notTold`: bots that the command did not reach. They continue unchanged. */
    command(
      command: FleetCommand,
      names: ReadonlyArray<string>,
      said: { readonly by: string; readonly why: string | undefined }
    ): Effect.Effect<{ readonly message: string; readonly notTold: ReadonlyArray<string> }, Refused | Unknown>
    resolve(name: string, by: string, answer: OperatorAnswer): Effect.Effect<string, Refused | Unknown>
  }
>()("limitbot/control/Fleet") {}
