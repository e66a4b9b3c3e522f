/** Reads what a strategy remembered. Memory comes back from a journal, so its shape is checked like any input. */
import * as Decimal from "../domain/Decimal.ts"
import type { Memory } from "./Decision.ts"

const isRecord = (memory: Memory): memory is { readonly [key: string]: Memory } =>
  typeof memory === "object" && memory !== null && !Array.isArray(memory)

export const decimalIn = (memory: Memory, key: string): Decimal.Decimal | undefined => {
  const found = isRecord(memory) ? memory[key] : undefined
  return typeof found === "string" ? Decimal.parse(found) : undefined
}
