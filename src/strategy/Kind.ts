/**
 * A kind of strategy: the name for `kind:`, and how the section of that name becomes a pure function. Everything that does not depend on
 * the price is computed once, when the file is read, so that deciding is fast.
 *
 * One declaration of the section's keys gives the reader, the defaults, the schema for editors, the questions of `limitbot init` and the
 * template for the answers.
 */
import type { Reason } from "../domain/BotEvent.ts"
import type { Market } from "../domain/Market.ts"
import * as Read from "./Fields.ts"
import type { MarketNamed } from "./Markets.ts"
import type { Report, Span } from "./Problem.ts"
import type { Setup } from "./Setup.ts"
import type { Behaviour, Budget, Limits } from "./Strategy.ts"
import { type KeyPlaces, keyPlaces, type YamlNode } from "./YamlReader.ts"

export interface KindContext {
  readonly market: Market
  /** Further markets; only for kinds with `tradesSeveral`. */
  readonly others: ReadonlyArray<Market>
  /** `undefined` if it could not be read; checks that depend on it are skipped. */
  readonly budget: Budget | undefined
  readonly limits?: Pick<Limits, "minOrder" | "maxNotional"> | undefined
  readonly marketNamed: MarketNamed
  readonly root: YamlNode
  readonly to: Report
}

export interface Form {
  readonly read: (section: YamlNode, context: KindContext) => Behaviour | undefined
  readonly schema: () => Read.JsonSchema
}

export interface Kind extends Form {
  readonly name: string
  readonly about: string
  readonly tradesSeveral?: true
  /** Its slots repeat the same legs, so `rearm` has an effect. */
  readonly repeats?: true
  /** Its orders use the proceeds of earlier ones, so `skim` has an effect. */
  readonly compounds?: true
  /** Its slots buy and sell by turns. In other kinds a slot may sell what another one bought. */
  readonly takesTurns?: true
  /** Its first decision names every slot; other kinds add slots later. */
  readonly namesEverySlot?: true
  readonly restsAtWrittenPrices?: true
  /** Its decisions may name slots whose order comes to nothing (`no-order`). */
  readonly mayLackOrders?: true
  readonly setup: (market: Market) => Setup
}

export type Whole<K extends (market: Market) => Read.Keys> = Read.SettingsOf<ReturnType<K>> &
  Pick<Section<ReturnType<K>>, "market" | "keys">

export interface Section<T> extends KindContext {
  readonly section: YamlNode
  readonly at: (key: keyof T) => Span
  readonly isWritten: (key: keyof T) => boolean
  readonly keys: KeyPlaces<keyof T & string>
}

/** `first` checks several keys together, even if another key is missing. `make` returns its behaviour. */
export const formOf = <T extends Read.Keys, P>(
  keys: (market: Market) => T,
  first: (values: Read.KnownSettings<T>, section: Section<T>) => P | undefined,
  make: (whole: Whole<(market: Market) => T>, section: Section<T>, found: P) => Behaviour | undefined
): Form => ({
  schema: () => Read.schemaOf(Read.fields(keys(Read.anyMarket))),
  read: (node, context) => {
    const { market, root, to } = context
    const table = keys(market)
    const locatedFields = Read.fields(table)(node, to)
    if (locatedFields === undefined) return undefined
    const section: Section<T> = {
      ...context,
      section: node,
      at: (key) => locatedFields[key] ?? node,
      isWritten: (key) => locatedFields[key] !== undefined,
      keys: keyPlaces(node, root, to)
    }
    const values = Read.valuesOf(table, locatedFields)
    const details = first(values, section)
    if (details === undefined || !Read.isWhole(table, values)) return undefined
    return make({ ...values, market, keys: section.keys }, section, details)
  }
})

export const form = <T extends Read.Keys>(
  keys: (market: Market) => T,
  make: (whole: Whole<(market: Market) => T>, section: Section<T>) => Behaviour | undefined
): Form => formOf(keys, () => true, make)

export const eitherForm = (
  forms: ReadonlyArray<Form>,
  of: (section: YamlNode, context: KindContext) => Form
): Form => ({
  schema: () => ({ anyOf: forms.map(({ schema }) => schema()) }),
  read: (section, context) => of(section, context).read(section, context)
})

export const reasons =
  <P extends string>(keys: (path: P) => string) =>
  (code: string, text: string, key: P): Reason => ({ code, text, source: keys(key) })
