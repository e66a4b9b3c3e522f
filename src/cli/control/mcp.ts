/**
 * `limitbot mcp`: a running bot for agents, over standard input and output. It only looks: its tools ask the control API with
 * the viewer's token, so that no words of an agent, or of somebody whom it has read, can move money.
 */
import { NodeStdio } from "@effect/platform-node"
import { Effect, FileSystem, Layer, Schema } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { Command } from "effect/cli"
import { version } from "../../version.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import * as RunningBot from "./RunningBot.ts"

const failure = Schema.Struct({ message: Schema.String })
const success = Schema.Json

const Status = Tool.make("status", {
  description: "How the running bot does: prices, strategies, open orders, fills, and problems with the worst first",
  success,
  failure
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
const Slots = Tool.make("slots", {
  description: "Every slot: what it holds, its state, distance from the price, what it earned, and why",
  success,
  failure
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
const Money = Tool.make("money", {
  description: "Where every unit of every asset is, as exact decimals",
  success,
  failure
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
const Book = Tool.make("book", {
  description: "The price and depth of a market and the bot's own resting orders in it",
  parameters: Schema.Struct({ market: Schema.String }),
  success,
  failure
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
const Explain = Tool.make("explain", {
  description: "Why a slot (strategy/slot, or a strategy) holds what it holds, and what would change that",
  parameters: Schema.Struct({ slot: Schema.String }),
  success,
  failure
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
const Plan = Tool.make("plan", {
  description: "What the bot would keep, cancel, create and defer now",
  success,
  failure
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
const Events = Tool.make("events", {
  description: "The latest 200 events of the journal that contain these words; all when empty",
  parameters: Schema.Struct({ search: Schema.String }),
  success,
  failure
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)

const tools = Toolkit.make(Status, Slots, Money, Book, Explain, Plan, Events)

const decode = Schema.decodeUnknownEffect(Schema.Json)

const handlersFor = Effect.fnUntraced(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const look = <A, E extends { readonly message: string }>(call: Parameters<typeof RunningBot.ask<A, E>>[1]) =>
    RunningBot.ask(journal, call, "viewer").pipe(
      Effect.flatMap((answer) => decode(answer)),
      Effect.mapError(({ message }) => ({ message })),
      Effect.provideService(FileSystem.FileSystem, fileSystem)
    )
  return tools.of({
    status: () => look((api) => api.look.status()),
    slots: () => look((api) => api.look.slots()),
    money: () => look((api) => api.look.money()),
    book: ({ market }) => look((api) => api.look.book({ query: { market } })),
    explain: ({ slot }) => look((api) => api.look.explain({ query: { slot } })),
    plan: () => look((api) => api.look.plan()),
    events: ({ search }) => look((api) => api.look.log({ query: { search } }))
  })
})

export const command = Command.make(
  "mcp",
  { config: flags.config },
  Effect.fn(function* ({ config }) {
    const { journal } = yield* ConfigFile.loadSettings(config)
    const server = McpServer.layerStdio({
      name: "limitbot",
      version,
      instructions: "Looks at a running limit-order bot. Nothing here changes anything.",
      protocols: [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26, McpProtocol.v2024_11_05],
      registrations: McpServer.toolkit(tools).pipe(Layer.provide(tools.toLayer(handlersFor(journal))))
    })
    return yield* Layer.launch(server.pipe(Layer.provide(NodeStdio.layer)))
  })
).pipe(Command.withDescription("Let agents look at a running bot (MCP over standard input and output, read-only)"))
