/**
 * Positions whose strategy no file names any more, for example after a rename. Nothing sells them, and a file under another name would open
 * the position again. A person ends that with a file of the name, or with `resume NAME`, which leaves the position to the account.
 */
import type { LeftPosition } from "../../../domain/BotEvent.ts"
import { ended, recovered } from "../../../domain/Placement.ts"
import type { StrategyState } from "./StrategyState.ts"

/** Orders of a recovery and adopted orders have no file to be missed. A user's file may have these names too. */
const isWithoutFile = ({ loaded, name }: StrategyState): boolean =>
  loaded === undefined && (name === recovered || name === ended)

export const leftPositions = (
  { strategies }: { readonly strategies: ReadonlyMap<string, StrategyState> },
  isGone: (strategy: StrategyState) => boolean = ({ isLoaded }) => isLoaded === false
): ReadonlyArray<LeftPosition> =>
  [...strategies.values()].flatMap((strategy) => {
    const { isLeftToAccount, name, trading } = strategy
    if (isLeftToAccount === true || isWithoutFile(strategy) || !isGone(strategy)) return []
    return [...trading].flatMap(([market, { position }]) => {
      const { cost, position: base } = position.basis
      return base === 0n ? [] : [{ strategy: name, market, base, cost }]
    })
  })
