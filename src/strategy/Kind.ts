/**
 * A kind of strategy: the name that `kind:` gives, the section of the same name, and how that section becomes a pure
 * function. Everything that does not depend on the price is computed here once, so that deciding is fast.
 */
import type { Amount } from "../domain/Amount.ts"
import type { Market } from "../domain/Market.ts"
import type { Memory } from "./Decision.ts"
import type { JsonSchema } from "./JsonSchema.ts"
import type { MarketNamed } from "./Markets.ts"
import type { Problem, Report } from "./Problem.ts"
import type { Setup } from "./Setup.ts"
import type { Budget, Decide, Look, Unfit, WatchedMarket } from "./Strategy.ts"
import type { YamlNode } from "./YamlReader.ts"

export interface KindContext {
  readonly market: Market
  /** Further markets; only for kinds with `tradesSeveral`. */
  readonly others: ReadonlyArray<Market>
  /** `undefined` when the file's budget could not be read; checks that depend on it are then skipped. */
  readonly budget: Budget | undefined
  /** Any market that the configuration offers. */
  readonly marketNamed: MarketNamed
  /** The whole file. */
  readonly root: YamlNode
  readonly to: Report
}

export interface Behaviour {
  readonly initialMemory: Memory
  readonly decide: Decide
  readonly inputs?: Look
  readonly candles?: ReadonlyMap<string, number>
  readonly watched?: ReadonlyArray<WatchedMarket>
  readonly depth?: ReadonlyArray<Amount>
  readonly volumes?: ReadonlyMap<string, Problem>
  readonly unfit?: Unfit
}

export interface Kind {
  readonly name: string
  /** What it does, in a few words. */
  readonly about: string
  /** A file of this kind may name several markets. */
  readonly tradesSeveral?: true
  /** Its slots work the same legs again and again: `rearm` has something to hold back. */
  readonly repeats?: true
  /** Its orders use what earlier ones brought in: `skim` has something to set aside. */
  readonly compounds?: true
  /** `undefined`: the problems are reported. */
  readonly read: (section: YamlNode, context: KindContext) => Behaviour | undefined
  /** The questions of `limitbot init`. */
  readonly setup: (market: Market) => Setup
  /** What the section accepts, for editors. */
  readonly schema: () => JsonSchema
}
