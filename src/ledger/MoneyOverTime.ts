/** The amounts in each place at the end of every UTC day that changed them. Days beyond the newest 400 are dropped. */
import type { Recorded } from "../domain/BotEvent.ts"
import { dayMillis } from "../domain/Durations.ts"
import * as Ledger from "../domain/Ledger.ts"

const maxDays = 400

export interface DayEnd {
  readonly at: number
  readonly places: ReadonlyArray<Ledger.PlaceBalance>
}

export interface DayBooks {
  readonly ledger: Ledger.Ledger
  readonly days: Map<number, DayEnd>
  readonly assets: Set<string>
  /** The day of the newest movement; its end is not recorded yet. */
  open: Pick<DayEnd, "at"> | undefined
}

export const emptyBooks = (): DayBooks => ({
  ledger: Ledger.make(),
  days: new Map(),
  assets: new Set(),
  open: undefined
})

const dayOf = (at: number): number => Math.floor(at / dayMillis)

export const see = (books: DayBooks, { at, event }: Recorded): void => {
  if (books.open !== undefined && dayOf(books.open.at) !== dayOf(at)) endDay(books, books.open)
  const moved = Ledger.apply(books.ledger, event)
  if (moved.length === 0) return
  books.open = { at }
  for (const { asset } of moved) books.assets.add(asset)
}

const endDay = (books: DayBooks, { at }: Pick<DayEnd, "at">): void => {
  const { days, ledger } = books
  days.set(dayOf(at), { at, places: Ledger.totals(ledger) })
  if (days.size > maxDays) days.delete(Math.min(...days.keys()))
  books.open = undefined
}

/** Returns the days that differ from the day before. A start of the bot returns all money and takes it again, which is no change. */
export const result = (books: DayBooks): ReadonlyArray<DayEnd> => {
  const { days, open } = books
  const ended = { ...books, days: new Map(days) }
  if (open !== undefined) endDay(ended, open)
  return [...ended.days.values()]
    .sort((a, b) => a.at - b.at)
    .filter((day, index, all) => textOf(day) !== textOf(all[index - 1]))
}

const textOf = (day: DayEnd | undefined): string =>
  (day?.places ?? []).map(({ amount, asset, place }) => `${amount} ${asset} ${place}`).join()
