/**
 * Positions whose strategy no file names any more, after a rename for example. Nothing sells them, and a file under another name
 * would open the same position again. A person ends that: a file with the name, or `resume NAME`, which leaves the position to the account.
 */
import type { LeftPosition } from "../../../domain/BotEvent.ts"
import { recovered } from "../../../domain/Placement.ts"
import type { StrategyState } from "./StrategyState.ts"

interface Known {
  readonly strategies: ReadonlyMap<string, StrategyState>
}

export const leftPositions = (
  { strategies }: Known,
  isGone: (strategy: StrategyState) => boolean = ({ isLoaded }) => isLoaded === false
): ReadonlyArray<LeftPosition> =>
  [...strategies.values()].flatMap((strategy) => {
    const { isLeftToAccount, name, trading } = strategy
    if (isLeftToAccount === true || name === recovered || !isGone(strategy)) return []
    return [...trading].flatMap(
      ([
        market,
        {
          position: { basis }
        }
      ]) => (basis.position === 0n ? [] : [{ strategy: name, market, base: basis.position, cost: basis.cost }])
    )
  })
