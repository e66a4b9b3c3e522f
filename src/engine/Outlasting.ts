/**
 * Work on orders that may outlast its turn, because a request without an answer ends only after many seconds. A turn waits while work ends,
 * and leaves the rest to continue beside the next turns, which do not begin it again. So no market waits for another.
 */
import { Effect, type Exit, Fiber, FiberMap } from "effect"

/** A turn stops waiting when no work has ended for this time. */
const stalledMillis = 2_000

export const make = Effect.fnUntraced(function* <E>(concurrency: number) {
  const fibers = yield* FiberMap.make<string, void, never>()
  let ended = 0
  let failed: Exit.Exit<void, E> | undefined
  const noted = (work: Effect.Effect<void, E>) =>
    Effect.map(Effect.exit(work), (exit) => {
      ended += 1
      if (exit._tag === "Failure") failed ??= exit
    })
  const stalled = Effect.suspend(() => {
    const before = ended
    return Effect.map(Effect.sleep(stalledMillis), () => ended > before)
  })
  const fail = Effect.suspend(() => {
    const exit = failed
    failed = undefined
    return exit ?? Effect.void
  })
  const all = Effect.fnUntraced(function* (works: ReadonlyArray<readonly [key: string, work: Effect.Effect<void, E>]>) {
    const fresh = works.filter(([key]) => !FiberMap.hasUnsafe(fibers, key))
    const begin = ([key, work]: (typeof works)[number]) =>
      Effect.flatMap(FiberMap.run(fibers, key, noted(work)), Fiber.await)
    const each = Effect.forEach(fresh, begin, { concurrency, discard: true })
    if (fresh.length > 0) yield* Effect.raceFirst(each, Effect.repeat(stalled, { while: (goesOn) => goesOn }))
    yield* fail
  })
  return { all, finish: Effect.andThen(FiberMap.awaitEmpty(fibers), fail) } as const
})
