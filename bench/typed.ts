/**
 * What a user types first, `backtest FILE --data CSV` of a year with both sides and the simulated runs, for the example of
 * each kind: processor time and most memory against an empty process.
 */
import { join } from "node:path"
import { type Budget, costs } from "./measure.ts"
import { built, empty, leanest, minutes, mostMemory, wholeProcess } from "./program.ts"
import type { Bench } from "./sections.ts"

const prices = { BTC: 60_000, ETH: 2_600, SOL: 150 } as const

interface Example {
  readonly of: keyof typeof prices
  readonly time: Budget
  readonly memory: Budget
}

const examples: Readonly<Record<string, Example>> = {
  bracket: { of: "BTC", time: { atMost: 25 }, memory: { atMost: 4 } },
  dca: { of: "BTC", time: { atMost: 45 }, memory: { atMost: 5 } },
  deals: { of: "ETH", time: { atMost: 260, goal: 120 }, memory: { atMost: 7 } },
  grid: { of: "BTC", time: { atMost: 70, goal: 10 }, memory: { atMost: 5, goal: 4 } },
  iceberg: { of: "SOL", time: { atMost: 60, goal: 12 }, memory: { atMost: 5 } },
  ladder: { of: "SOL", time: { atMost: 25 }, memory: { atMost: 4 } },
  "market-making": { of: "BTC", time: { atMost: 350, goal: 160 }, memory: { atMost: 12, goal: 9 } },
  rebalance: { of: "ETH", time: { atMost: 60 }, memory: { atMost: 5 } },
  rules: { of: "ETH", time: { atMost: 90 }, memory: { atMost: 5 } },
  twap: { of: "ETH", time: { atMost: 40 }, memory: { atMost: 5 } }
}

export const typed = async ({ show, root, folder }: Bench): Promise<void> => {
  const limitbot = built(root, folder)
  for (const [name, { of, time, memory }] of Object.entries(examples)) {
    const data = minutes(limitbot, folder, 1, prices[of])
    const words = [limitbot, "backtest", join(root, "strategies", `${name}.yaml`), "--data", data]
    const process = wholeProcess(`\`backtest ${name}.yaml\` as typed`, words)
    show(await costs("whole process, 1 year", empty, process, { samples: 3, budget: time }))
    const most = mostMemory("the same", words)
    show(await costs("most memory", leanest, most, { samples: 1, unit: "MB", budget: memory }))
  }
}
