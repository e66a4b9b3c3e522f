/**
 * Reads and edits the strategy files of orders by hand, one for each market, beside the journal. Every live bot of the journal runs them.
 * Each order is one rule on one line, so an edit does not touch the others. Ids of orders that have left the file stay in comments: a late
 * repetition of a request must not place its order again.
 */
import { createHash } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { Effect, FileSystem } from "effect"
import { floorOf, format, max } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { inputAmount, type Market, type Side } from "../domain/Market.ts"
import type { Budget, Strategy } from "../strategy/Strategy.ts"

const prefix = "by-hand-"

export const isByHand = (strategy: string): boolean => strategy.startsWith(prefix)

/** Markets whose names differ only in case or in other signs have different files. */
export const strategyOf = ({ name }: Pick<Market, "name">): string => {
  const plain = `${prefix}${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`
  return /^[A-Z0-9]+\/[A-Z0-9]+$/.test(name) ? plain : `${plain}-${hashOf(name)}`
}

/** The id of an order ends with this hash, so that a repeated request finds its order. */
export const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 8)

/** Returns the order of a slot, with or without its strategy: each of several targets has a slot, buy-1a2b3c4d-2. */
export const orderOf = (slot: string): string => slot.replace(/((?:buy|sell)-[0-9a-f]{8})-\d+$/, "$1")

export const fileOf = (journal: string, market: Pick<Market, "name">): string => `${journal}.${strategyOf(market)}.yaml`

export const filesOf = Effect.fn("ByHand.filesOf")(function* (journal: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(fileSystem.readDirectory(dirname(journal)), () => [])
  const isOwn = (name: string) => name.startsWith(`${basename(journal)}.${prefix}`) && name.endsWith(".yaml")
  return names.filter(isOwn).sort().map((name) => join(dirname(journal), name)) // biome-ignore format: one step
})

/** Adds files of orders by hand that the list lacks, no matter how it spells their paths. */
export const besides = Effect.fn("ByHand.besides")(function* (files: ReadonlyArray<string>, journal: string) {
  const names = files.map((file) => basename(file))
  return [...files, ...(yield* filesOf(journal)).filter((file) => !names.includes(basename(file)))]
})

export const textOf = (file: string) =>
  FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(file)).pipe(Effect.orElseSucceed(() => ""))

const orderLines = /^ {4}((?:buy|sell)-[0-9a-f]{8}): (\{.*\})(?:\r?\n|$)/gm

export const ordersIn = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(orderLines)].map(([, id = "", rule = ""]) => [id, rule]))

const sizePattern = /side: (buy|sell), price: ([\d.]+), size: \{ base: ([\d.]+) \}/

/** Adds what the largest living orders pay, so that the bot asks for the price of such orders. Lines that a person has rewritten do not count. */
export const withLargestOrder = (strategy: Strategy): Strategy => {
  const { market, name, text } = strategy
  if (!isByHand(name)) return strategy
  const rules = [...ordersIn(text)]
  const payments = rules.flatMap(([id, rule]) => {
    const [, word, price = "", size = ""] = sizePattern.exec(rule) ?? []
    const [at, base, side] = [Decimal.parse(price), Decimal.parse(size), word === "sell" ? "SELL" : "BUY"] as const
    if (at === undefined || base === undefined) return []
    return [{ id, side, amount: inputAmount(market, side, floorOf(base, market.base.decimals), at) }]
  })
  if (payments.length === 0 && rules.length > 0) return strategy
  const largestOrder: Strategy["largestOrder"] = (ends) => {
    const ofOrders = Map.groupBy(ends, ([slot]) => orderOf(slot))
    const living = payments.filter(({ id }) => ofOrders.get(id)?.every(([, isEnd]) => isEnd) !== true)
    const largestOf = (side: Side) =>
      living.reduce((largest, each) => (each.side === side ? max(largest, each.amount) : largest), 0n)
    return { base: largestOf("SELL"), quote: largestOf("BUY") }
  }
  return { ...strategy, largestOrder }
}

const idsIn = (text: string, line: RegExp): ReadonlyArray<string> =>
  line.exec(text)?.[0].match(/\w+-[0-9a-f]{8}/g) ?? []

export const cancelledIn = (text: string): ReadonlyArray<string> => idsIn(text, /^# cancelled:.*$/m)

/** Returns ended orders whose lines have left the file. */
export const endedIn = (text: string): ReadonlyArray<string> => idsIn(text, /^# ended:.*$/m)

const empty = (
  market: Market
): string => `# Orders by hand on ${market.name}, one on each line. limitbot order writes them.
# cancelled:
name: ${strategyOf(market)}
market: ${market.name}
kind: rules
limits:
  budget: {}
rules:
`

interface Edit {
  readonly orders: ReadonlyMap<string, string>
  readonly budget: Pick<Budget, "base" | "quote">
  readonly cancelled?: string | undefined
  readonly ended?: ReadonlyArray<string>
}

/** A budget may not be empty, so it has at least one smallest unit. */
export const edited = (before: string, market: Market, { budget, cancelled, ended = [], orders }: Edit): string => {
  const { base, quote } = market
  const least = budget.base === 0n && budget.quote === 0n ? 1n : budget.quote
  const allEnded = [...endedIn(before), ...ended]
  const rest = (before === "" ? empty(market) : before)
    .replace(/^# ended:.*\r?\n/m, "")
    .replace(/^/, allEnded.length === 0 ? "" : `# ended: ${allEnded.join(" ")}\n`)
    .replace(orderLines, "")
    .replace(/^ {2}orders:.*\r?\n/m, "")
    .replace(
      /^ {2}budget:.*$/m,
      `  budget: { base: ${format(budget.base, base.decimals)}, quote: ${format(least, quote.decimals)} }`
    )
    .replace(/^# cancelled:/m, `# cancelled:${cancelled === undefined ? "" : ` ${cancelled}`}`)
  return `${rest}  orders:${orders.size === 0 ? " {}" : ""}\n${[...orders].map(([id, rule]) => `    ${id}: ${rule}\n`).join("")}`
}

const besideOrders = (text: string): string =>
  text
    .replace(orderLines, "")
    .replace(/^# ended:.*\r?\n/m, "")
    .replace(/^(?: {2}(?:orders|budget):|# cancelled:).*$/gm, "")

const budgetIn = (text: string): ReadonlyArray<number> =>
  (/^ {2}budget: \{ base: ([\d.]+), quote: ([\d.]+) \}$/m.exec(text) ?? []).slice(1).map(Number)

/** True for an edit that only removes orders. It is applied in any market, so that an order can always be cancelled. */
export const onlyCancels = ({ name, text }: Pick<Strategy, "name" | "text">, before: string | undefined): boolean => {
  if (before === undefined || !isByHand(name) || besideOrders(text) !== besideOrders(before)) return false
  const [had, now, most] = [ordersIn(before), budgetIn(text), budgetIn(before)]
  const isNoMore = now.length === most.length && now.every((amount, index) => amount <= (most[index] ?? 0))
  return isNoMore && [...ordersIn(text)].every(([id, rule]) => had.get(id) === rule)
}
