/** The facts of the service as people read them: one line each, in the words of `venue.facts`. */

import type { BotSettings } from "../../files/ConfigFile.ts"
import type { VenueFacts } from "../../venue/profile/Facts.ts"

const lines = (name: string, value: unknown): ReadonlyArray<readonly [string, string]> => {
  if (typeof value !== "object" || value === null) return [[name, String(value)]]
  if (Array.isArray(value)) return [[name, value.join(", ") || "none"]]
  const parts = Object.entries(value)
  if (parts.length === 0) return [[name, "none known"]]
  return parts.flatMap(([key, part]) => lines(name === "" ? key : `${name}.${key}`, part))
}

export const asText = ({ facts, profile }: Pick<BotSettings["venue"], "facts" | "profile">): string => {
  const all: ReadonlyArray<readonly [string, string]> = [["profile", profile], ...lines("", facts satisfies VenueFacts)]
  const width = Math.max(...all.map(([name]) => name.length))
  return all.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n")
}
