/** `limitbot kill` and `limitbot release`: the operator's kill switch, obeyed by a running bot within a second. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { callOf } from "../../control/api/OperatorCalls.ts"
import { operatorCommands } from "../../control/api/OperatorCommands.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as KillFile from "../../process/KillFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

/** Only the file counts; a bot that can be reached checks it at once. */
const soon = <A, E, R>(told: Effect.Effect<A, E, R>) => told.pipe(Effect.timeout("2 seconds"), Effect.ignore)

export const kill = Command.make(
  "kill",
  {
    reason: Argument.String("reason").pipe(
      Argument.withDescription("Why, for the journal"),
      Argument.withDefault("switched on by the operator")
    ),
    config: flags.config
  },
  Effect.fn(function* ({ reason, config }) {
    const journal = yield* ConfigFile.journalOf(config)
    yield* KillFile.set(journal, reason)
    yield* soon(RunningBot.ask(journal, callOf("kill", undefined, reason)))
    yield* Console.log(
      "Kill switch on: a running bot signs nothing more, cancels its orders and takes the money back; where none runs, its next start does. See `limitbot status`. `limitbot release` ends it."
    )
  })
).pipe(help(operatorCommands.kill.does))

export const release = Command.make(
  "release",
  { config: flags.config },
  Effect.fn(function* ({ config }) {
    const { journal } = yield* ConfigFile.loadSettings(config)
    yield* KillFile.release(journal)
    yield* soon(RunningBot.ask(journal, callOf("release", undefined, undefined)))
    yield* Console.log("Kill switch off: a running bot trades again.")
  })
).pipe(help(operatorCommands.release.does))
