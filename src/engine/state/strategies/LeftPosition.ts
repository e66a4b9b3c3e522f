/**
 * Positions whose strategy no file names any more, after a rename for example. Nothing sells them, and a file under another name
 * would open the same position again. A person ends that: a file with the name, or `resume NAME`, which leaves the position to the account.
 */
import type { LeftPosition } from "../../../domain/BotEvent.ts"
import { recovered } from "../../../domain/Placement.ts"
import type { StrategyState } from "./StrategyState.ts"

export const leftPositions = (
  { strategies }: { readonly strategies: ReadonlyMap<string, StrategyState> },
  isGone: (strategy: StrategyState) => boolean = ({ isLoaded }) => isLoaded === false
): ReadonlyArray<LeftPosition> =>
  [...strategies.values()].flatMap((strategy) => {
    const { isLeftToAccount, name, trading } = strategy
    if (isLeftToAccount === true || name === recovered || !isGone(strategy)) return []
    return [...trading].flatMap(([market, { position }]) => {
      const { cost, position: base } = position.basis
      return base === 0n ? [] : [{ strategy: name, market, base, cost }]
    })
  })
