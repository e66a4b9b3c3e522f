/** All that looks random in the sandbox is a pure function of the seed and a key, so equal commands give equal ids, delays and prices. */
import { hash } from "node:crypto"
import bs58 from "bs58"

type Key = string | number

export const hex = (seed: number, ...keys: ReadonlyArray<Key>): string =>
  hash("sha256", JSON.stringify([seed, ...keys]))

const digest = (seed: number, keys: ReadonlyArray<Key>): Buffer => Buffer.from(hex(seed, ...keys), "hex")

export const bytes = (seed: number, ...keys: ReadonlyArray<Key>): Uint8Array => new Uint8Array(digest(seed, keys))

export const base58 = (seed: number, ...keys: ReadonlyArray<Key>): string => bs58.encode(digest(seed, keys))

export const uuid = (seed: number, ...keys: ReadonlyArray<Key>): string => {
  const text = hex(seed, ...keys)
  return [
    text.slice(0, 8),
    text.slice(8, 12),
    `4${text.slice(13, 16)}`,
    `a${text.slice(17, 20)}`,
    text.slice(20, 32)
  ].join("-")
}

/** In [0, 1). */
export const fraction = (seed: number, ...keys: ReadonlyArray<Key>): number =>
  Number.parseInt(hex(seed, ...keys).slice(0, 12), 16) / 2 ** 48

export const between = (bounds: readonly [number, number], seed: number, ...keys: ReadonlyArray<Key>): number =>
  bounds[0] + Math.floor(fraction(seed, ...keys) * (bounds[1] - bounds[0] + 1))

/** Standard normal numbers for price paths. A 32-bit mix gives each number, because a digest per number would be too slow. */
export const normals = (seed: number, ...keys: ReadonlyArray<Key>): ((index: number) => number) => {
  const key = digest(seed, keys)
  const low = key.readInt32BE(0)
  const high = key.readInt32BE(4)
  return (index) => {
    const first = (mix(low ^ mix(index * 2)) + 1) / (2 ** 32 + 1)
    const second = mix(high ^ mix(index * 2 + 1)) / 2 ** 32
    return Math.sqrt(-2 * Math.log(first)) * Math.cos(2 * Math.PI * second)
  }
}

/** A bijective 32-bit mix in which every input bit changes about half of the output bits. */
const mix = (value: number): number => {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d)
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b)
  return (bits ^ (bits >>> 16)) >>> 0
}
