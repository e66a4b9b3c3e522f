/** What limits on losses cost: a grid of a year that they never stop, with them and without. */

import { bodies } from "../test/world/kinds.ts"
import * as ladder from "../test/world/ladder.ts"
import { oneSide } from "./kinds.ts"
import { costs } from "./measure.ts"
import type { Bench } from "./sections.ts"

const losses: Readonly<Record<string, string>> = {
  maxDailyLoss: "maxDailyLoss: 90000",
  maxDrawdown: "maxDrawdown: 99%"
}

export const limits = async ({ show }: Bench): Promise<void> => {
  const year = ladder.years(1)
  const body = bodies["grid"] ?? ""
  const without = oneSide("a grid", body, year)
  for (const [name, limit] of Object.entries(losses)) {
    const limited = oneSide(`with ${name}`, body.replace("maxOpenOrders", `${limit}, maxOpenOrders`), year)
    show(
      await costs("one side, 1 year", without, limited, { samples: 9, warmUps: 3, budget: { atMost: 6, goal: 1.3 } })
    )
  }
}
