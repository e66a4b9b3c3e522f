/**
 * The sandbox for other programs: `import { start } from "limitbot/sandbox"`. It imitates the whole service on a loopback port, with its
 * own market, solvers, money and keys, and needs no network. The package contains all its dependencies, including Effect.
 *
 * @module limitbot/sandbox
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import type { Filled, FillRequest } from "./core/Control.ts"
import type { Refusal } from "./core/Refusal.ts"
import { Sandbox } from "./Sandbox.ts"
import type { SandboxOptions } from "./SandboxOptions.ts"
import { type ConnectionRecord, layer, SandboxConnection } from "./SandboxServer.ts"

export type { Filled, FillRequest } from "./core/Control.ts"
export type { FaultRates } from "./http/Faults.ts"
export type { SandboxOptions } from "./SandboxOptions.ts"
export type { ConnectionRecord } from "./SandboxServer.ts"
export type { SandboxSettings } from "./Settings.ts"

/** A running sandbox server. A command that it cannot execute rejects with an `Error` that names the reason. */
export interface RunningSandbox {
  /** The address, and keys that have no value anywhere else. */
  readonly connection: ConnectionRecord
  /** Sets prices in quote per base, by market such as `BTC/USDC`. A price stands still until it is set again. */
  readonly setPrices: (prices: Readonly<Record<string, number>>) => Promise<void>
  /** Fills the oldest open order that matches all fields, at its price. Resolves to the order's id and total executed quantity. */
  readonly fill: (order: FillRequest) => Promise<Filled>
  /** Moves the sandbox's clock by milliseconds, at least 1. Everything due in that time happens at once. */
  readonly advance: (millis: number) => Promise<void>
  /** Ends the server. Requests in progress may fail. */
  readonly stop: () => Promise<void>
}

/** Starts a sandbox. At `speed: 0` the market stands still until `setPrices`, `fill` and `advance` move it. */
export const start = (options: SandboxOptions = {}): Promise<RunningSandbox> => {
  const runtime = ManagedRuntime.make(layer(options).pipe(Layer.provide(NodeServices.layer)))
  const running = Effect.map(Effect.context<Sandbox | SandboxConnection>(), (services): RunningSandbox => {
    const { change } = Context.get(services, Sandbox)
    const orSay = <A>(changed: Effect.Effect<A, Refusal>) =>
      Effect.runPromise(
        Effect.mapError(changed, ({ code, faults }) => new Error(faults.map(({ detail = code }) => detail).join("; ")))
      )
    return {
      connection: Context.get(services, SandboxConnection),
      setPrices: (prices) => orSay(Effect.asVoid(change({ tag: "SetPrices", payload: { prices } }))),
      fill: (order) => orSay(change({ tag: "FillOrder", payload: order })),
      advance: (millis) => orSay(Effect.asVoid(change({ tag: "AdvanceTime", payload: { millis } }))),
      stop: () => runtime.dispose()
    }
  })
  return runtime.runPromise(running)
}
