/** The kinds of strategy that a file may name. */
import { bracket } from "./bracket.ts"
import { dca } from "./dca.ts"
import { grid } from "./grid.ts"
import { iceberg } from "./iceberg.ts"
import type { Kind } from "./Kind.ts"
import { ladder } from "./ladder.ts"
import { marketMaking } from "./marketMaking.ts"
import { rebalance } from "./rebalance.ts"
import { rules } from "./rules.ts"
import { twap } from "./twap.ts"

export const kinds: ReadonlyArray<Kind> = [grid, ladder, dca, twap, iceberg, marketMaking, rebalance, bracket, rules]
