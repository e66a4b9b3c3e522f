/** Reads the memory of a strategy, and marks it. Memory comes back from a journal, so its shape is checked like any input. */
import { type Amount, type Asset, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Memory } from "../Decision.ts"
import type { LegsDone } from "../View.ts"

type MemoryRecord = Readonly<Record<string, Memory>>

export const isRecord = (memory: Memory): memory is MemoryRecord =>
  typeof memory === "object" && memory !== null && !Array.isArray(memory)

/** The value of a key; null if there is none. */
export const recordIn = (memory: Memory, key: string): Memory => (isRecord(memory) ? (memory[key] ?? null) : null)

export const textIn = (memory: Memory, key: string): string | undefined => {
  const field = recordIn(memory, key)
  return typeof field === "string" ? field : undefined
}

export const decimalIn = (memory: Memory, key: string): Decimal.Decimal | undefined => {
  const text = textIn(memory, key)
  return text === undefined ? undefined : Decimal.parse(text)
}

export const numberIn = (memory: Memory, key: string): number | undefined => {
  const field = recordIn(memory, key)
  return typeof field === "number" && Number.isFinite(field) ? field : undefined
}

export const isTrueIn = (memory: Memory, key: string): boolean => recordIn(memory, key) === true

/** A kind may remember hundreds of keys at each decision. `Object.fromEntries` then takes five times as long as this loop. */
export const withAll = (first: MemoryRecord, entries: ReadonlyArray<readonly [string, Memory]>): MemoryRecord => {
  const record: { [key: string]: Memory } = { ...first }
  for (const [key, value] of entries) record[key] = value
  return record
}

export const amountIn = ({ decimals }: Asset, memory: Memory, key: string): Amount =>
  fromDecimal(decimalIn(memory, key) ?? Decimal.zero, decimals) ?? 0n

export const legsIn = (base: Asset, memory: Memory): LegsDone => ({
  completedLegs: numberIn(memory, "legsBefore") ?? 0,
  filledInLeg: amountIn(base, memory, "filledBefore")
})

export type Notes<A> = ReturnType<typeof notes<A>>

/**
 * Reads and writes a strategy's memory. The strategy usually gets back the object that it returned last, and then nothing is parsed again.
 * A memory from a journal is another object, and is parsed.
 */
export const notes = <A>(read: (memory: Memory) => A, write: (noted: A) => Memory, isSame: (a: A, b: A) => boolean) => {
  let last: { readonly memory: Memory; readonly noted: A } | undefined
  return {
    read: (memory: Memory): A => (last !== undefined && last.memory === memory ? last.noted : read(memory)),
    write: (noted: A): Memory => {
      if (last === undefined || !isSame(last.noted, noted)) last = { memory: write(noted), noted }
      return last.memory
    }
  }
}

export const beside = (inner: Memory, own: MemoryRecord): MemoryRecord => ({
  ...(isRecord(inner) ? inner : {}),
  ...own
})

/** Finds the result of parsing a memory. A backtest gives back the object that it received, which is not parsed again. */
export const parsedOf = <A>(results: WeakMap<object, A>, memory: Memory): A | undefined =>
  isRecord(memory) ? results.get(memory) : undefined

export type Marking = ReturnType<typeof marking>

/**
 * Remembers a modifier's own fields beside the memory of the strategy that it modifies. No rule may have the name `key`. A kind gets back
 * the object that it returned, so it parses nothing again.
 */
export const marking = (key: string) => {
  let last: { readonly own: Memory; readonly fields: MemoryRecord; readonly marked: Memory } | undefined
  return {
    of: (memory: Memory): MemoryRecord => {
      const fields = recordIn(memory, key)
      if (!isRecord(fields)) return {}
      const { memory: _, ...noted } = fields
      return noted
    },
    on: (own: Memory, fields: MemoryRecord): Memory => {
      if (Object.keys(fields).length === 0) return own
      if (last === undefined || last.own !== own || JSON.stringify(last.fields) !== JSON.stringify(fields)) {
        const marked = isRecord(own) ? beside(own, { [key]: fields }) : { [key]: { ...fields, memory: own } }
        last = { own, fields, marked }
      }
      return last.marked
    },
    off: (memory: Memory): Memory => {
      if (last !== undefined && last.marked === memory) return last.own
      if (!isRecord(memory) || !(key in memory)) return memory
      const { [key]: _, ...own } = memory
      const fields = recordIn(memory, key)
      return isRecord(fields) && "memory" in fields ? recordIn(fields, "memory") : own
    }
  }
}
