/**
 * The interpreter in which strategies in code run: QuickJS-ng as WebAssembly, from the package `quickjs-wasi`. Its file is pinned by hash,
 * and it gets a limit on its memory that it does not have itself.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

const pinned = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"
const maxMegabytes = 128
export const pageBytes = 65_536
const maxPages = (maxMegabytes * 2 ** 20) / pageBytes
const memorySection = 5

/** The build copies the file to the folder of the program. */
const fileOfQuickJs = (): string => {
  const { dirname, filename, url } = import.meta
  return filename.endsWith(".mjs")
    ? join(dirname, "quickjs.wasm")
    : createRequire(url).resolve("quickjs-wasi/quickjs.wasm")
}

/** LEB128, the numbers of WebAssembly's binary format. */
const encoded = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value & 127) | 128, ...encoded(value >> 7)]

const decodedAt = (code: Uint8Array, start: number): { readonly value: number; readonly end: number } => {
  let [value, shift, end] = [0, 0, start]
  for (;;) {
    const byte = code[end++] ?? 0
    value |= (byte & 127) << shift
    if (byte < 128) return { value, end }
    shift += 7
  }
}

/** Adds a maximum to the memory section, which names only a minimum. Binary format: WebAssembly core specification, section 5.5.8. */
const limited = (code: Uint8Array): Uint8Array<ArrayBuffer> => {
  const headerBytes = 8
  for (let at = headerBytes; at < code.length; ) {
    const { value: size, end: start } = decodedAt(code, at + 1)
    const next = start + size
    if (code[at] !== memorySection) {
      at = next
      continue
    }
    const minimum = [...code.subarray(start + 2, next)]
    const section = [1, 1, ...minimum, ...encoded(maxPages)]
    const before = [...code.subarray(0, at)]
    return Uint8Array.from([...before, memorySection, ...encoded(section.length), ...section, ...code.subarray(next)])
  }
  throw new Error("quickjs.wasm has no memory section")
}

let compiled: WebAssembly.Module | undefined

/** The compiled module; about 80 ms at the first call. Throws if the file is not the pinned one. */
export const quickJs = (): WebAssembly.Module => {
  if (compiled !== undefined) return compiled
  const file = fileOfQuickJs()
  const code = readFileSync(file)
  const hash = createHash("sha256").update(code).digest("hex")
  if (hash !== pinned) throw new Error(`${file} is not the QuickJS of this version: install the packages again`)
  compiled = new WebAssembly.Module(limited(code))
  return compiled
}
