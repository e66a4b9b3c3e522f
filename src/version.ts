/** The version and the sources of this program. The build replaces `sourcesCode` by the checksum of its sources. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A test keeps it equal to package.json. */
export const version = "0.1.0"

let code: string | undefined

/** Twelve hex digits over all sources. They differ between two programs of one version. */
export const sourcesCode = (folder: string = import.meta.dirname): string => {
  if (code !== undefined) return code
  const hash = createHash("sha256")
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
  for (const name of names.sort()) hash.update(`${name}\n`).update(readFileSync(join(folder, name)))
  code = hash.digest("hex").slice(0, 12)
  return code
}
