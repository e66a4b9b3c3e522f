/** A program as a simulated process that can be killed at any step. The world opens and closes its files, so its disk outlives it. */
import { Effect, Exit, Layer, Scope } from "effect"
import * as Head from "../../journal/Head.ts"
import { Journal } from "../../journal/Journal.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import * as Reserve from "../../journal/Reserve.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import { Domain, runIn, type World } from "./World.ts"

export type Launched = Readonly<ReturnType<typeof launch>>

export const launch = <R, E, EF>({
  files,
  program,
  seed,
  world
}: {
  world: World
  seed: number
  files: Layer.Layer<R, EF>
  program: Effect.Effect<void, E, R>
}) => {
  const scope = runIn(world, Scope.make())
  const opened = runIn(world, Layer.buildWithScope(files, scope))
  const domain = new Domain(world, seed)
  let exit: Exit.Exit<void, unknown> | undefined
  domain.fork(Effect.provide(program, opened)).addObserver((ended) => {
    exit = ended
  })
  return {
    domain,
    exit: () => exit,
    kill: () => {
      domain.kill()
      runIn(world, Scope.close(scope, Exit.void))
    }
  }
}

export const withJournal = <A, E>(
  { journalFile, world }: { readonly journalFile: string; readonly world: World },
  effect: Effect.Effect<A, E, Journal | PriceStore>
): A => runIn(world, Effect.scoped(Effect.provide(effect, journalLayer(journalFile))))

export const journalLayer = (filename: string) =>
  PriceStore.layer.pipe(
    Layer.provideMerge(Journal.layerWith(Reserve.none, Head.beside(filename))),
    Layer.provide(Sqlite.layer({ filename }))
  )
