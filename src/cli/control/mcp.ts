/** `limitbot mcp`: a running bot for agents, over standard input and output or over HTTP on this machine. */
import { Effect, FileSystem } from "effect"
import { Command } from "effect/cli"
import * as Mcp from "../../control/mcp/Mcp.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { Stop } from "../../process/Stop.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "mcp",
  {
    operator: flags.toggle(
      "operator",
      "Also tools that change something, each after a proposal that shows its effects"
    ),
    port: flags.count(
      "port",
      "Over HTTP on this port of this machine, with a token, instead of standard input and output",
      0,
      65_535
    ),
    config: flags.config
  },
  Effect.fn(function* ({ config, operator, port }) {
    const { journal } = yield* ConfigFile.loadSettings(config)
    const fileSystem = yield* FileSystem.FileSystem
    const askAs: Mcp.AskAs = (role) => (call) =>
      RunningBot.ask(journal, call, role, Mcp.patienceMillis).pipe(
        Effect.mapError(({ message }) => ({ message })),
        Effect.provideService(FileSystem.FileSystem, fileSystem)
      )
    if (port === undefined) return yield* Mcp.overStdio(askAs, operator)
    const { requested } = yield* Stop
    yield* Mcp.overHttp(askAs, operator, { journal, port })
    yield* requested
  }, Effect.scoped)
).pipe(flags.help("Let agents read a running bot (MCP), and with --operator command it after a proposal"))
