/**
 * A hash of the code that decides: strategies, values and candles, and the fold and the view that strategies see. Journals name it for each
 * run, so a certificate can show whether the same code decided then and now. The built program contains the hash of its sources
 * (`tools/build.ts` replaces this file); a comment or a space changes it too.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const folders = ["domain", "strategy", "candles", "engine/state"]
const files = ["engine/planning/DecisionRecord.ts", "engine/markets/CandleFeed.ts"]

export const hashOfSources = (sources: string): string => {
  const listed = folders.flatMap((folder) =>
    readdirSync(join(sources, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name))
  )
  const hash = createHash("sha256")
  for (const file of [...listed, ...files].sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(sources, file)))
  }
  return hash.digest("hex").slice(0, 12)
}

export const decisionCode = (): string => hashOfSources(resolve(import.meta.dirname, ".."))
