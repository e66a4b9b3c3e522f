/** Remembers a modifier's own fields beside the memory of the strategy that it modifies. */
import type { Memory } from "../Decision.ts"
import { beside, isRecord, recordIn } from "../kinds/Memory.ts"

type Fields = { readonly [field: string]: Memory }

export interface Marking {
  readonly on: (own: Memory, fields: Fields) => Memory
  readonly off: (memory: Memory) => Memory
  readonly of: (memory: Memory) => Fields
}

/** No rule may have the name `key`. A kind gets back the object that it returned, so it parses nothing again. */
export const marking = (key: string): Marking => {
  let last: { readonly own: Memory; readonly fields: Fields; readonly marked: Memory } | undefined
  return {
    of: (memory) => {
      const fields = recordIn(memory, key)
      if (!isRecord(fields)) return {}
      const { memory: _, ...noted } = fields
      return noted
    },
    on: (own, fields) => {
      if (Object.keys(fields).length === 0) return own
      if (last === undefined || last.own !== own || JSON.stringify(last.fields) !== JSON.stringify(fields)) {
        const marked = isRecord(own) ? beside(own, { [key]: fields }) : { [key]: { ...fields, memory: own } }
        last = { own, fields, marked }
      }
      return last.marked
    },
    off: (memory) => {
      if (last !== undefined && last.marked === memory) return last.own
      if (!isRecord(memory) || !(key in memory)) return memory
      const { [key]: _, ...own } = memory
      const fields = recordIn(memory, key)
      return isRecord(fields) && "memory" in fields ? recordIn(fields, "memory") : own
    }
  }
}
