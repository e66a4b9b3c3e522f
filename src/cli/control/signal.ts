/** `limitbot signal NAME VALUE`: sends a number to the strategies that use it, through the running bot. */
import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"
import { present } from "../../domain/Present.ts"
import { nameRule, signalName } from "../../domain/Signal.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as RunCandles from "../../lab/runs/RunCandles.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"

const words: Readonly<Record<string, number>> = { true: 1, false: 0 }

export const command = Command.make(
  "signal",
  {
    name: flags.argument("name", 'As the strategy says it: signal("trend", 2h)'),
    value: flags.argument("value", "A number, or true or false for 1 or 0"),
    at: flags.text("at", "Start of its validity: 2024-01-31T12:00:00Z or epoch milliseconds; default: now"),
    note: flags.text("note", "Reason, for the journal"),
    config: flags.config
  },
  Effect.fn(function* ({ at, config, name, note, value: written }) {
    const value = words[written] ?? Number(written)
    if (!signalName.test(name)) return yield* wrongUsage(`"${name}" is not the name of a signal: it has ${nameRule}`)
    if (written.trim() === "" || !Number.isFinite(value))
      return yield* wrongUsage(`"${written}" is not a number, true or false`)
    const from = yield* RunCandles.moment("at", at, yield* Clock.currentTimeMillis)
    const { journal } = yield* ConfigFile.loadSettings(config)
    const payload = { value, ...present({ at: at === undefined ? undefined : from, note }) }
    const { message } = yield* RunningBot.ask(journal, ({ command }) => command.signal({ params: { name }, payload }))
    yield* Console.log(`${message}.`)
  })
).pipe(flags.help("Send a number to the strategies that use it"))
