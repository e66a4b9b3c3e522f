/** The kinds of strategy that a file may name. The first is the usual one. */
import type { Kind } from "./Kind.ts"
import { bracket } from "./kinds/bracket/bracket.ts"
import { dca } from "./kinds/dca.ts"
import { deals } from "./kinds/deals/deals.ts"
import { grid } from "./kinds/grid/grid.ts"
import { iceberg } from "./kinds/iceberg.ts"
import { ladder } from "./kinds/ladder.ts"
import { marketMaking } from "./kinds/marketMaking.ts"
import { rebalance } from "./kinds/rebalance.ts"
import { rules } from "./kinds/rules/rules.ts"
import { twap } from "./kinds/twap.ts"

export const kinds: readonly [Kind, ...ReadonlyArray<Kind>] = [
  grid,
  ladder,
  dca,
  deals,
  twap,
  iceberg,
  marketMaking,
  rebalance,
  bracket,
  rules
]
