/** Killing and starting again: nothing that was answered is lost, whatever the last line looks like. */
import { type ChildProcess, spawn } from "node:child_process"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Schema } from "effect"
import type { SandboxOptions } from "../../src/sandbox/SandboxOptions.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { SandboxConnection } from "../../src/sandbox/SandboxServer.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { limitbot } from "../builtProgram.ts"
import { createAndFund, isSettled, order, price, read, until, venue, venueBooks } from "../world/service/clients.ts"

const served = (options: SandboxOptions) =>
  venue.pipe(
    Layer.provideMerge(SandboxServer.layer(options)),
    Layer.provideMerge(Layer.merge(NodeHttpClient.layerUndici, NodeServices.layer))
  )

/** Everything that takes time takes little. */
const settings = {
  recognitionMillis: [1, 20],
  cancelMillis: [1, 20],
  payoutStartMillis: [0, 5],
  payoutMillis: [1, 20]
} as const

/** One life of a sandbox on this state file. */
const live = <A, E>(test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof served>>>, options: SandboxOptions) =>
  Effect.provide(test, served({ settings, ...options }))

const temporary = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  return `${yield* fileSystem.makeTempDirectoryScoped()}/state.jsonl`
})

const written = Effect.fnUntraced(function* (state: string) {
  return yield* (yield* FileSystem.FileSystem).readFileString(state)
})
const write = Effect.fnUntraced(function* (state: string, text: string) {
  yield* (yield* FileSystem.FileSystem).writeFileString(state, text)
})

describe("the state file", () => {
  it.live("restores every order, fill, nonce and balance after a restart, and the sandbox continues", () =>
    Effect.gen(function* () {
      const state = yield* temporary
      const [done, open] = yield* live(
        Effect.gen(function* () {
          const filled = yield* createAndFund({ price: price("59000") })
          const resting = yield* createAndFund({ price: price("90000") })
          yield* until(filled.id, isSettled)
          yield* until(resting.id, ({ fillStatus }) => fillStatus === "OPEN")
          return [yield* read(filled.id), yield* read(resting.id)] as const
        }),
        { state }
      )
      yield* live(
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* read(done.id), done)
          assert.deepStrictEqual(yield* read(open.id), open)
          yield* Venue.use((port) => port.cancelOrder(open.id))
          assert.strictEqual((yield* until(open.id, isSettled)).fillStatus, "CANCELED")
          assert.deepStrictEqual((yield* venueBooks).imbalances, [])
        }),
        { state }
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("drops a torn last line at every byte, and names a damaged line in the middle", () =>
    Effect.gen(function* () {
      const state = yield* temporary
      const create = Venue.use((port) => port.createOrder(order()))
      const ids = yield* live(Effect.replicateEffect(create, 2), { state }).pipe(
        Effect.map((answers) => answers.map(({ value }) => value.id))
      )
      const text = yield* written(state)
      const lastLine = text.slice(text.lastIndexOf("\n", text.length - 2) + 1)
      const whole = text.slice(0, text.length - lastLine.length)
      const known = Effect.map(venueBooks, ({ orders }) => orders.map(({ id }) => id))
      for (const cut of [1, 40, lastLine.length - 1]) {
        yield* write(state, whole + lastLine.slice(0, cut))
        assert.deepStrictEqual(yield* live(known, { state }), ids.slice(0, 1))
        assert.strictEqual(yield* written(state), whole)
      }
      yield* write(state, whole.replace('"tag":"CreateOrder"', '"tag":"Unheard"') + lastLine)
      const refused = yield* Effect.flip(live(known, { state }))
      assert.include(refused.message, `${state}:2: is damaged`)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("refuses other settings than its own, and names them", () =>
    Effect.gen(function* () {
      const state = yield* temporary
      yield* live(venueBooks, { state, seed: 1 })
      const refused = yield* Effect.flip(live(venueBooks, { state, seed: 2 }))
      assert.include(refused.message, "seed: then 1, now 2")
      yield* write(state, "something else\n")
      assert.include((yield* Effect.flip(live(venueBooks, { state }))).message, "is not the state of a sandbox")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live(
    "keeps every answered request when the process is killed at any time",
    Effect.fnUntraced(function* () {
      const state = yield* temporary
      const answered: Array<string> = []
      for (let life = 0; life < 3; life++) {
        const { process, connection } = yield* spawned(state)
        const client = venue.pipe(
          Layer.provideMerge(Layer.succeed(SandboxConnection, connection)),
          Layer.provideMerge(NodeHttpClient.layerUndici)
        )
        yield* Effect.gen(function* () {
          const known = new Set((yield* venueBooks).orders.map(({ id }) => id))
          for (const id of answered) assert.isTrue(known.has(id), `life ${life}: ${id} was forgotten`)
          const fund = createAndFund().pipe(Effect.tap(({ id }) => Effect.sync(() => answered.push(id))))
          yield* Effect.forkScoped(Effect.forever(Effect.ignore(fund)))
          // Killed in the middle of the work, however fast the machine is.
          yield* Effect.repeat(Effect.sleep(5), { until: () => answered.length >= 2 * (life + 1) })
          yield* Effect.sleep(3 + 7 * life)
        }).pipe(Effect.ensuring(killed(process)), Effect.scoped, Effect.provide(client))
      }
      assert.isAbove(answered.length, 4)
    }, Effect.provide(NodeServices.layer))
  )
})

const decodeConnection = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      url: Schema.String,
      apiKey: Schema.String,
      partnerJwt: Schema.String,
      quoteKey: Schema.String,
      ledger: Schema.Literals(["native"]),
      verifier: Schema.String,
      account: Schema.Struct({ key: Schema.String, signerId: Schema.String })
    })
  )
)

/** A sandbox as a process of its own. */
const spawned = (state: string) =>
  Effect.callback<{ process: ChildProcess; connection: SandboxServer.ConnectionRecord }>((resume) => {
    const words = ["sandbox", "--json", "--port", "0", "--state", state]
    const child = spawn(process.execPath, [limitbot, ...words], { stdio: ["ignore", "pipe", "inherit"] })
    child.once("exit", (code) => resume(Effect.die(new Error(`the sandbox ended with ${code}`))))
    child.stdout.once("data", (line) =>
      resume(Effect.succeed({ process: child, connection: decodeConnection(String(line)) }))
    )
  })

const killed = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })
