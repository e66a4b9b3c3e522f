/**
 * Serves a running bot to agents (MCP). By default it only reads, with the viewer's token. So no words of an agent, or of a text that it
 * has read, can move money. If `mayOperate`, tools also carry out proposals that were shown; over HTTP this needs the operator's token.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import { Console, Effect, Layer } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import { version } from "../../version.ts"
import { mayAs, type TokenRole } from "../api/OperatorCommands.ts"
import * as Connections from "../http/Connections.ts"
import * as Gate from "../http/Gate.ts"
import * as Tokens from "../http/Tokens.ts"
import * as Proposals from "./Proposals.ts"
import { Looking, Operating } from "./Tools.ts"

/** Planning and testing take time, and an agent waits. */
export const patienceMillis = 130_000

export type AskAs = (role: TokenRole) => Proposals.Ask

const handlersFor = (askAs: AskAs) => {
  const askViewer = askAs("viewer")
  const proposals = Proposals.make(askAs("operator"))
  const looking = Looking.of({
    status: () => askViewer((api) => api.look.status()),
    slots: () => askViewer((api) => api.look.slots()),
    orders_by_hand: () => askViewer((api) => api.look.byHand()),
    money: () => askViewer((api) => api.look.money()),
    book: ({ market }) => askViewer((api) => api.look.book({ query: { market } })),
    explain: ({ slot }) => askViewer((api) => api.look.explain({ query: { slot } })),
    plan: () => askViewer((api) => api.look.plan()),
    backtest: ({ file }) => askViewer((api) => api.look.backtest({ query: { file } })),
    files: () => askViewer((api) => api.look.files()),
    events: ({ search }) => askViewer((api) => api.look.log({ query: { search } }))
  })
  const operating = Operating.of({
    ...looking,
    propose: (proposal) => Effect.mapError(proposals.propose(proposal), ({ message }) => ({ message })),
    carry_out: ({ proposal }) => Effect.mapError(proposals.carryOut(proposal), ({ message }) => ({ message }))
  })
  return { looking, operating }
}

const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

const optionsFor = (askAs: AskAs, mayOperate: boolean) => {
  const handlers = handlersFor(askAs)
  return {
    name: "limitbot",
    version,
    instructions: mayOperate
      ? "Reads and controls a running limit-order bot. Show every proposal to the operator before carrying it out."
      : "Reads a running limit-order bot. These tools change nothing.",
    protocols,
    registrations: mayOperate
      ? McpServer.toolkit(Operating).pipe(Layer.provide(Operating.toLayer(handlers.operating)))
      : McpServer.toolkit(Looking).pipe(Layer.provide(Looking.toLayer(handlers.looking)))
  }
}

const path = "/mcp"

export const overHttp = Effect.fn("Mcp.overHttp")(function* (
  askAs: AskAs,
  mayOperate: boolean,
  { journal, port }: { readonly journal: string; readonly port: number }
) {
  const tokens = yield* Tokens.open(journal, { host: "127.0.0.1", viewerToken: undefined })
  const routes = McpServer.layerHttp({ ...optionsFor(askAs, mayOperate), path, allowSubscriptions: false })
  const server = yield* Layer.build(
    NodeHttpServer.layer(() => Connections.make(undefined), { host: "127.0.0.1", port })
  )
  yield* Effect.gen(function* () {
    const handler = yield* HttpRouter.toHttpEffect(routes)
    const { address, serve } = yield* HttpServer.HttpServer
    const admitted = Effect.gen(function* () {
      const holder = yield* Gate.speaking(tokens)
      if (holder === undefined) return Gate.refusal(401, "A bearer token is required")
      const [needed, whose] = mayOperate
        ? (["operator", "the operator's"] as const)
        : (["viewer", "a viewer's"] as const)
      if (!mayAs(holder.role, needed)) return Gate.refusal(403, `This server needs ${whose} token`)
      return yield* handler
    })
    yield* serve(Gate.guard(admitted).pipe(HttpMiddleware.withLoggerDisabled))
    yield* Console.log(`mcp ${HttpServer.formatAddress(address)}${path}`)
  }).pipe(Effect.provide(server))
})

export const overStdio = (askAs: AskAs, mayOperate: boolean) =>
  Layer.launch(McpServer.layerStdio(optionsFor(askAs, mayOperate)).pipe(Layer.provide(NodeStdio.layer)))
