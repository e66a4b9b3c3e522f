/**
 * A kind of strategy: the name that `kind:` gives, the section of the same name, and how that section becomes a pure
 * function. Everything that does not depend on the price is computed here once, so that deciding is fast.
 *
 * One declaration of the section's keys gives the reader with the places of its mistakes, the defaults, the schema for
 * editors, the questions of `limitbot init` and the template that the answers fill.
 */
import type { Amount } from "../domain/Amount.ts"
import type { Reason } from "../domain/BotEvent.ts"
import type { Market } from "../domain/Market.ts"
import type { Memory } from "./Decision.ts"
import * as Read from "./Fields.ts"
import { anyMarket, type JsonSchema, schemaOf } from "./JsonSchema.ts"
import type { MarketNamed } from "./Markets.ts"
import type { Problem, Report, Span } from "./Problem.ts"
import type { Setup } from "./Setup.ts"
import type { Budget, Decide, Limits, Look, Proof, StandsOf, Unfit, WatchedMarket } from "./Strategy.ts"
import { type KeyPlaces, keyPlaces, type YamlNode } from "./YamlReader.ts"

export interface KindContext {
  readonly market: Market
  /** Further markets; only for kinds with `tradesSeveral`. */
  readonly others: ReadonlyArray<Market>
  /** `undefined` when the file's budget could not be read; checks that depend on it are then skipped. */
  readonly budget: Budget | undefined
  /** The same of the other limits. */
  readonly limits?: Pick<Limits, "minOrder" | "maxNotional"> | undefined
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
  readonly stands?: StandsOf
  readonly candles?: ReadonlyMap<string, number>
  readonly watched?: ReadonlyArray<WatchedMarket>
  readonly depth?: ReadonlyArray<Amount>
  readonly signals?: ReadonlyMap<string, number>
  readonly volumes?: ReadonlyMap<string, Problem>
  readonly unfit?: Unfit
  readonly proof?: Proof
}

/** One form of a section. */
export interface Form {
  /** `undefined`: the problems are reported. */
  readonly read: (section: YamlNode, context: KindContext) => Behaviour | undefined
  /** What the section accepts, for editors. */
  readonly schema: () => JsonSchema
}

export interface Kind extends Form {
  readonly name: string
  /** What it does, in a few words. */
  readonly about: string
  /** A file of this kind may name several markets. */
  readonly tradesSeveral?: true
  /** Its slots work the same legs again and again: `rearm` has something to hold back. */
  readonly repeats?: true
  /** Its orders use what earlier ones brought in: `skim` has something to set aside. */
  readonly compounds?: true
  /** Its slots enter and leave by turns. In other kinds a slot may sell what another one bought. */
  readonly takesTurns?: true
  /** Its first decision names every slot; other kinds add slots as time goes on. */
  readonly namesEverySlot?: true
  /** Its orders rest at prices that the file gives. */
  readonly restsAtWrittenPrices?: true
  /** The questions of `limitbot init`. */
  readonly setup: (market: Market) => Setup
}

/** The settings of a section, and what reasons and amounts need beside them. */
export type Whole<K extends (market: Market) => Read.Keys> = Read.SettingsOf<ReturnType<K>> &
  Pick<Section<ReturnType<K>>, "market" | "keys">

/** What the settings of a section are checked with. */
export interface Section<T> extends KindContext {
  readonly section: YamlNode
  /** Where the value of a key stands; without one, the place of the section. */
  readonly at: (key: keyof T) => Span
  readonly isWritten: (key: keyof T) => boolean
  /** Where the keys are that a reason names. */
  readonly keys: KeyPlaces<keyof T & string>
}

/** `first`: what several keys say together, which is checked even where another key is missing; `make`: the strategy. */
export const formOf = <T extends Read.Keys, P>(
  keys: (market: Market) => T,
  first: (values: Read.KnownSettings<T>, section: Section<T>) => P | undefined,
  make: (whole: Whole<(market: Market) => T>, section: Section<T>, found: P) => Behaviour | undefined
): Form => ({
  schema: () => schemaOf(Read.fields(keys(anyMarket))),
  read: (node, context) => {
    const { market, root, to } = context
    const table = keys(market)
    const read = Read.fields(table)(node, to)
    if (read === undefined) return undefined
    const section: Section<T> = {
      ...context,
      section: node,
      at: (key) => read[key] ?? node,
      isWritten: (key) => read[key] !== undefined,
      keys: keyPlaces(node, root, to)
    }
    const values = Read.valuesOf(table, read)
    const found = first(values, section)
    if (found === undefined || !Read.isWhole(table, values)) return undefined
    return make({ ...values, market, keys: section.keys }, section, found)
  }
})

export const form = <T extends Read.Keys>(
  keys: (market: Market) => T,
  make: (whole: Whole<(market: Market) => T>, section: Section<T>) => Behaviour | undefined
): Form => formOf(keys, () => true, make)

/** A section with several forms, of which it has one. */
export const eitherForm = (
  forms: ReadonlyArray<Form>,
  of: (section: YamlNode, context: KindContext) => Form
): Form => ({
  schema: () => ({ anyOf: forms.map(({ schema }) => schema()) }),
  read: (section, context) => of(section, context).read(section, context)
})

/** Reasons of a decision, each with the key that it follows from. */
export const reasons =
  <P extends string>(keys: (path: P) => string) =>
  (code: string, text: string, key: P): Reason => ({ code, text, source: keys(key) })
