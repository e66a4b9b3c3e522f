/** The sandbox of an episode, in a process of its own with a clock of its own, and its books for the oracle. */
import { Context, Effect, Layer, type Scope } from "effect"
import { Clock } from "effect/Clock"
import { HttpClient } from "effect/http"
import { Domain, type World } from "../../src/rehearsal/world/World.ts"
import { noFaults } from "../../src/sandbox/http/Faults.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as SandboxServer from "../../src/sandbox/SandboxServer.ts"
import { factsOf } from "../../src/venue/profile/Profiles.ts"
import { markets } from "../world/bot/market.ts"
import type { Plan } from "./Plan.ts"

export const serverOf = async (world: World, plan: Plan, scope: Scope.Scope) => {
  const domain = new Domain(world, plan.seed)
  domain.skewMillis = plan.venueSkewMillis
  const server = await Effect.runPromise(
    Layer.buildWithScope(
      SandboxServer.layerMemory({
        seed: plan.seed,
        faults: { ...noFaults, duplicateCreate: 0.05, listLagMillis: plan.has.has("stale") ? 1500 : 0 },
        settings: {
          ...plan.market,
          ...(plan.has.has("deployed") ? { facts: factsOf("near-2026-11", "intents.native") } : {}),
          intentMillis: plan.intentMillis,
          recognitionMillis: plan.recognitionMillis,
          payoutMillis: plan.payoutMillis,
          failedPayoutShare: plan.failedPayoutShare
        }
      }),
      scope
    ).pipe(Effect.provideService(Clock, domain.clock))
  )
  const sandbox = Context.get(server, Sandbox)
  const state = Effect.runSync(
    sandbox.read((all) => all).pipe(Effect.provideService(Clock, domain.clock), Effect.orDie)
  )
  return {
    domain,
    service: Context.get(server, HttpClient.HttpClient),
    connection: Context.get(server, SandboxServer.SandboxConnection),
    state,
    rotateSalts: () =>
      Effect.runSync(
        sandbox
          .change({ tag: "RotateSalts", payload: {} })
          .pipe(Effect.provideService(Clock, domain.clock), Effect.orDie)
      ),
    /** What a market is worth now. */
    truth: (name: string) => {
      const market = markets.get(name)
      return market && state.model.mid(market.base, market.quote, state.now)
    }
  }
}
