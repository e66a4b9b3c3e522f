/**
 * `limitbot mcp`: a running bot for agents, over standard input and output or over HTTP on this machine. It only
 * looks, with the viewer's token, so no words of an agent, or of anybody whose text it has read, can move money. With
 * `--operator` it also has tools that do what they have shown before; over HTTP only for a caller with the operator's
 * token.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Console, Effect, FileSystem, Layer, Option, Redacted } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { Command, Flag } from "effect/cli"
import { HttpMiddleware, HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import * as RunningBot from "../../../app/process/RunningBot.ts"
import { Stop } from "../../../app/process/Stop.ts"
import type { TokenRole } from "../../../control/api/OperatorCommands.ts"
import * as Connections from "../../../control/http/Connections.ts"
import * as Gate from "../../../control/http/Gate.ts"
import * as Tokens from "../../../control/http/Tokens.ts"
import * as ConfigFile from "../../../files/ConfigFile.ts"
import { version } from "../../../version.ts"
import * as flags from "../../flags.ts"
import * as Proposals from "./Proposals.ts"
import { Looking, Operating } from "./tools.ts"

/** Planning and testing take time, and an agent waits. */
const patienceMillis = 130_000

const handlersFor = Effect.fnUntraced(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const asked =
    (role: TokenRole) =>
    <A, E extends { readonly message: string }>(call: Parameters<typeof RunningBot.ask<A, E>>[1]) =>
      RunningBot.ask(journal, call, role, patienceMillis).pipe(
        Effect.mapError(({ message }) => ({ message })),
        Effect.provideService(FileSystem.FileSystem, fileSystem)
      )
  const read = asked("viewer")
  const proposals = Proposals.make(asked("operator"))
  const looking = Looking.of({
    status: () => read((api) => api.look.status()),
    slots: () => read((api) => api.look.slots()),
    money: () => read((api) => api.look.money()),
    book: ({ market }) => read((api) => api.look.book({ query: { market } })),
    explain: ({ slot }) => read((api) => api.look.explain({ query: { slot } })),
    plan: () => read((api) => api.look.plan()),
    backtest: ({ file }) => read((api) => api.look.backtest({ query: { file } })),
    files: () => read((api) => api.look.files()),
    events: ({ search }) => read((api) => api.look.log({ query: { search } }))
  })
  const operating = Operating.of({
    ...looking,
    propose: (proposal) => Effect.mapError(proposals.propose(proposal), ({ message }) => ({ message })),
    carry_out: ({ proposal }) => Effect.mapError(proposals.carryOut(proposal), ({ message }) => ({ message }))
  })
  return { looking, operating }
})

const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

const optionsFor = (handlers: Effect.Success<ReturnType<typeof handlersFor>>, mayOperate: boolean) => ({
  name: "limitbot",
  version,
  instructions: mayOperate
    ? "Looks at a running limit-order bot and commands it. Show every proposal to the operator before carrying it out."
    : "Looks at a running limit-order bot. Nothing here changes anything.",
  protocols,
  registrations: mayOperate
    ? McpServer.toolkit(Operating).pipe(Layer.provide(Operating.toLayer(handlers.operating)))
    : McpServer.toolkit(Looking).pipe(Layer.provide(Looking.toLayer(handlers.looking)))
})
type McpOptions = ReturnType<typeof optionsFor>

const path = "/mcp"

/** On this machine only, behind the same gate as the control server; every request carries a token. */
const overHttp = Effect.fnUntraced(function* (
  options: McpOptions,
  { holderOf }: Tokens.Tokens,
  port: number,
  mayOperate: boolean
) {
  const routes = McpServer.layerHttp({ ...options, path, allowSubscriptions: false })
  const server = yield* Layer.build(
    NodeHttpServer.layer(() => Connections.make(undefined), { host: "127.0.0.1", port })
  )
  yield* Effect.gen(function* () {
    const handler = yield* HttpRouter.toHttpEffect(routes)
    const { address, serve } = yield* HttpServer.HttpServer
    const admitted = Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const token = /^Bearer (.+)$/i.exec(headers["authorization"] ?? "")?.[1]
      const holder = token === undefined ? undefined : yield* holderOf(Redacted.make(token))
      if (holder === undefined) return Gate.refusal(401, "A bearer token is required")
      if (mayOperate && holder.role !== "operator") return Gate.refusal(403, "This server needs the operator's token")
      return yield* handler
    })
    yield* serve(Gate.guard(admitted).pipe(HttpMiddleware.withLoggerDisabled))
    yield* Console.log(`mcp ${HttpServer.formatAddress(address)}${path}`)
  }).pipe(Effect.provide(server))
})

export const command = Command.make(
  "mcp",
  {
    operator: flags.toggle(
      "operator",
      "Also tools that change something, each after a proposal that shows what it would do"
    ),
    port: flags
      .integerIn("port", 0, 65_535)
      .pipe(
        Flag.withDescription(
          "Over HTTP on this port of this machine, with a token, instead of standard input and output"
        ),
        Flag.optional
      ),
    config: flags.config
  },
  Effect.fn(function* ({ config, operator, port }) {
    const { journal } = yield* ConfigFile.loadSettings(config)
    const options = optionsFor(yield* handlersFor(journal), operator)
    if (Option.isNone(port)) {
      return yield* Layer.launch(McpServer.layerStdio(options).pipe(Layer.provide(NodeStdio.layer)))
    }
    const stop = yield* Stop
    yield* overHttp(
      options,
      yield* Tokens.open(journal, { host: "127.0.0.1", viewerToken: undefined }),
      port.value,
      operator
    )
    yield* stop.requested
  }, Effect.scoped)
).pipe(Command.withDescription("Let agents look at a running bot (MCP), and with --operator do what they have shown"))
