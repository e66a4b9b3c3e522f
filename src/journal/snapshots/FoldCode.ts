/**
 * A hash of the code that makes and reads snapshots. The built program knows it (`tools/build.ts` replaces this file): there it
 * is a hash of the folds with all that they import, so an upgrade that does not touch them keeps the snapshots.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

let known: string | undefined

/** Without a build, of every source. */
export const foldCode = (): string => (known ??= hashOf(resolve(import.meta.dirname, "../..")))

const hashOf = (folder: string): string => {
  const hash = createHash("sha256")
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
  for (const name of names.filter((each) => each.endsWith(".ts")).sort()) {
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)))
  }
  return hash.digest("hex")
}
