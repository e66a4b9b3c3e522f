/**
 * A hash of a fold's code. `tools/build.ts` replaces this file by a hash of the fold and its imports, so unrelated upgrades keep snapshots.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

let sourceHash: string | undefined

/** `fold`: the name of its snapshots. In a run from source the hash covers every source file. */
export const foldCode = (_fold: string): string => (sourceHash ??= hashOf(resolve(import.meta.dirname, "../..")))

const hashOf = (folder: string): string => {
  const hash = createHash("sha256")
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
  for (const name of names.filter((each) => each.endsWith(".ts")).sort())
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)))
  return hash.digest("hex")
}
