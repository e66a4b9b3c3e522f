/**
 * A hash of the code that makes and reads the snapshots of a fold. `tools/build.ts` replaces this file in the built program by a hash of
 * the fold with all its imports, so an upgrade that does not change them keeps its snapshots.
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
  for (const name of names.filter((each) => each.endsWith(".ts")).sort()) {
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)))
  }
  return hash.digest("hex")
}
