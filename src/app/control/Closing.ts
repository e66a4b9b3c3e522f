/**
 * Closes a strategy: its file gets this moment as its end, with a sale of its position. So a running bot withdraws and sells as it does at
 * any end, also after a restart, and the plan of the edited file shows the cost before.
 */
import { Clock, Effect } from "effect"
import type { CloseRequest } from "../../control/api/Close.ts"
import { Refused } from "../../control/api/ControlApi.ts"
import type { Asset } from "../../domain/Amount.ts"
import { endingText } from "../../strategy/modifiers/Period.ts"
import { suggestion } from "../../strategy/Problem.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { PlanFacts } from "../../views/Plan.ts"
import * as Planning from "../plan/Planning.ts"
import type * as EditedFiles from "./EditedFiles.ts"

interface Options {
  readonly edited: Effect.Success<ReturnType<typeof EditedFiles.make>>
  readonly plan: (strategies: ReadonlyArray<Strategy>) => Effect.Effect<PlanFacts, Refused>
  readonly assets: ReadonlyMap<string, Asset>
}

export const make = ({ assets, edited, plan }: Options) =>
  Effect.fn("Closing.close")(function* ({ dry = false, strategy, ...sale }: CloseRequest) {
    const files = yield* edited.all
    const own = files.find((each) => each.strategy === strategy)
    if (own === undefined) {
      const names = files.flatMap((each) => each.strategy ?? [])
      return yield* new Refused({ message: `No strategy is named ${strategy}; ${suggestion(strategy, names)}` })
    }
    const { file, hash } = own
    const text = endingText(own.text, yield* Clock.currentTimeMillis, sale)
    const { rendered, strategies } = yield* edited.readWith([{ file, text }])
    if (rendered.length > 0) return yield* new Refused({ message: rendered.join("\n") })
    const facts = Planning.onlyOf(yield* plan(strategies), strategy)
    const terms = Planning.plainLines(facts, assets)
    if (dry) return { message: "Nothing was written: only a plan", strategy, file, terms }
    yield* edited.apply({ file, text }, hash)
    return {
      message: `${strategy} is closed: its orders are withdrawn, then what it holds is sold`,
      strategy,
      file,
      terms
    }
  })
