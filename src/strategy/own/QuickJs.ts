/**
 * The interpreter for strategies in code: QuickJS-ng as WebAssembly, from the package `quickjs-wasi`. Its file is pinned by hash. It gets a
 * limit on its memory, because it has none itself.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

const pinned = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"
export const pageBytes = 65_536
/** The memory section of the pinned file: at least 18 pages. Nothing else in the file has these bytes. */
const memorySection = Buffer.of(5, 3, 1, 0, 18)
/** A section for at most 2,048 pages, which is 128 MB (WebAssembly core specification, section 5.5.8). */
const limitedSection = Buffer.of(5, 5, 1, 1, 18, 128, 16)
/** The pinned file never writes between the stack, which ends at 1 MB, and this address: there are tables. */
export const constantsEnd = 1_163_264

/** The build copies the file to the folder of the program. */
const fileOfQuickJs = (): string => {
  const { dirname, filename, url } = import.meta
  return filename.endsWith(".mjs")
    ? join(dirname, "quickjs.wasm")
    : createRequire(url).resolve("quickjs-wasi/quickjs.wasm")
}

let compiled: WebAssembly.Module | undefined

/** About 80 ms at the first call. Throws if the file is not the pinned one. */
export const quickJs = (): WebAssembly.Module => {
  if (compiled !== undefined) return compiled
  const file = fileOfQuickJs()
  const code = readFileSync(file)
  const hash = createHash("sha256").update(code).digest("hex")
  if (hash !== pinned) throw new Error(`${file} is not the QuickJS of this version: install the packages again`)
  const at = code.indexOf(memorySection)
  const after = code.subarray(at + memorySection.length)
  compiled = new WebAssembly.Module(Buffer.concat([code.subarray(0, at), limitedSection, after]))
  return compiled
}
