/** Swaps made by hand, in the bot's own journal. Whoever writes them holds the journal's lease, as a bot does. */
import { Clock, Effect, Schema } from "effect"
import * as SwapAccount from "../../domain/SwapAccount.ts"
import type { SwapEvent } from "../../domain/SwapEvent.ts"
import { oldSteps } from "../../journal/swapSteps.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"

/** Somebody else continued the swap in the meantime. */
export class SwapTaken extends Schema.TaggedError<SwapTaken>()("SwapTaken", { swap: Schema.String }) {
  override get message(): string {
    return `Somebody else is working on swap ${this.swap}. Wait for it, or look with \`limitbot swaps\`.`
  }
}

export const make = Effect.gen(function* () {
  const { recordFrom, state } = yield* Bookkeeper

  /** Imports swaps of older versions, once, with their original times. */
  const old = yield* oldSteps
  yield* recordFrom(({ swaps }) =>
    old.flatMap(({ at, event, step, swap }) =>
      swaps.has(swap) ? [] : [{ _tag: "SwapStep", swap, step, at, event } as const]
    )
  )

  /** Appends the next steps of a swap after `steps` of them; durable on return. Returns them as recorded. */
  const append = Effect.fn("SwapBook.append")(function* (
    swap: string,
    steps: number,
    events: ReadonlyArray<SwapEvent>
  ) {
    const at = yield* Clock.currentTimeMillis
    let isNext = false
    yield* recordFrom(({ swaps }) => {
      isNext = (swaps.get(swap)?.steps ?? 0) === steps
      if (!isNext) return []
      return events.map((event, index) => ({ _tag: "SwapStep", swap, step: steps + 1 + index, at, event }) as const)
    })
    if (!isNext) return yield* new SwapTaken({ swap })
    return state.swaps.get(swap)?.timeline.slice(steps, steps + events.length) ?? []
  })

  /** A new swap with its first event. */
  const begin = Effect.fn("SwapBook.begin")(function* (event: SwapEvent) {
    const last = Math.max(0, ...[...state.swaps.keys()].map((id) => Number(id.slice(1))))
    const steps = yield* append(`s${last + 1}`, 0, [event])
    return steps.reduce<SwapAccount.SwapAccount | undefined>(SwapAccount.apply, undefined) ?? neverBegun()
  })

  return { append, begin, find: (swap: string) => state.swaps.get(swap) } as const
})

const neverBegun = (): never => {
  throw new Error("Broken invariant: a swap that was recorded is not in the state")
}

export type SwapBook = Effect.Success<typeof make>
