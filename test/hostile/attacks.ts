/** Every attack, by what it lies about. */
import type { Attack } from "./Attack.ts"
import { boundaries } from "./tables/beforeAndAfter.ts"
import { creates } from "./tables/creates.ts"
import { intents } from "./tables/intents.ts"
import { marketAttacks } from "./tables/markets.ts"
import { reports } from "./tables/reports.ts"
import { submissions } from "./tables/submissions.ts"
import { swapAttacks } from "./tables/swaps.ts"
import { witnessAttacks } from "./tables/witnesses.ts"

export const attacks: ReadonlyArray<Attack> = [
  ...creates,
  ...boundaries,
  ...reports,
  ...intents,
  ...submissions,
  ...swapAttacks,
  ...marketAttacks,
  ...witnessAttacks
]
