/**
 * Stores parsed candles and their index in one file, so that a second run reads columns instead of text.
 *
 * A cache is used only if it was made from this content: the source has the same size, times and inode (no program can set the change
 * time), or the same SHA-256. A cache that is torn, of another version, or made with other repairs or another candle length is ignored. It
 * is written under another name and then renamed.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { dirname } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { crc32 } from "node:zlib"
import { type Candles, type Column, column } from "./Candles.ts"
import { allLeaves, buildIndices, type Indices, type Leaves, over } from "./CrossingIndex.ts"
import type { Checked, Repair } from "./csv/CandleChecks.ts"

/** Must change when the parser or the layout changes. */
const version = "limitbot columns 3"
const headerBytes = 32_768

export type Stamp = ReturnType<typeof stampOf>

interface Header {
  readonly version: string
  readonly stamp: Stamp
  readonly sha256: string
  readonly repair: ReadonlyArray<Repair>
  readonly tradeCandleMillis: number
  readonly bars: number
  readonly stepMillis: number
  readonly runs: number
  readonly priceScale: number
  readonly checked: Omit<Checked, "candles">
}

export interface ReadAs {
  readonly repair: ReadonlySet<Repair>
  readonly tradeCandleMillis: number
}

export interface Cached extends Checked {
  readonly candles: Candles
  readonly indices: Indices
  readonly sha256: string
}

export const stampOf = (file: string) => {
  const stats = fs.statSync(file, { bigint: true })
  // Opening a named pipe would wait forever and handle no signal.
  if (!stats.isFile()) throw new Error("is not a plain file")
  const { size, mtimeNs, ctimeNs, ino } = stats
  return { size: `${size}`, modified: `${mtimeNs}`, changed: `${ctimeNs}`, inode: `${ino}` }
}

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Hashes a file in parts, because it may be larger than memory. */
export const sha256OfFile = (file: string): string => {
  const hash = createHash("sha256")
  const part = new Uint8Array(1 << 20)
  const descriptor = fs.openSync(file, "r")
  try {
    for (let byteCount = fs.readSync(descriptor, part); byteCount > 0; byteCount = fs.readSync(descriptor, part))
      hash.update(part.subarray(0, byteCount))
    return hash.digest("hex")
  } finally {
    fs.closeSync(descriptor)
  }
}

const levelLengths = (bars: number): ReadonlyArray<number> => {
  const lengths: Array<number> = []
  for (let length = bars; length > 16; ) {
    length = (length + 15) >> 4
    lengths.push(length)
  }
  return lengths
}

const encodeHeader = (header: Header): Uint8Array | undefined => {
  const text = new TextEncoder().encode(JSON.stringify(header))
  if (text.length > headerBytes - 8) return undefined
  const bytes = new Uint8Array(headerBytes)
  new DataView(bytes.buffer).setUint32(0, text.length)
  new DataView(bytes.buffer).setUint32(4, crc32(text))
  bytes.set(text, 8)
  return bytes
}

const isHeader = (value: unknown): value is Header =>
  typeof value === "object" && value !== null && "version" in value && value.version === version

const readHeader = (descriptor: number): Header | undefined => {
  const bytes = new Uint8Array(headerBytes)
  if (fs.readSync(descriptor, bytes, 0, headerBytes, 0) !== headerBytes) return undefined
  const view = new DataView(bytes.buffer)
  const text = bytes.subarray(8, 8 + Math.min(view.getUint32(0), headerBytes - 8))
  if (crc32(text) !== view.getUint32(4)) return undefined
  const parsed: unknown = JSON.parse(new TextDecoder().decode(text))
  return isHeader(parsed) ? parsed : undefined
}

const bytesOf = (values: Float64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

const sections = (candles: Candles, indices: Indices): ReadonlyArray<Float64Array> => {
  const { time, open, high, low, close, volume } = candles
  const levels = [indices.orders, indices.closes].flatMap(({ minima, maxima }) => [...minima, ...maxima])
  return [time.runBars, time.runTimes, high, low, close, open, volume, ...levels]
}

/** Without these columns a run over years stays small. `late` reads values when needed from the file, which must stay open. */
export interface WantedColumns {
  readonly open: boolean | "late"
  readonly volume: boolean | "late"
  /** `late` leaves lows and highs in the file for the index; absent loads them. */
  readonly range?: "late"
}

const windowBars = 4096

type Late = Readonly<ReturnType<typeof lateColumn>>

/** A column in the file, with a window of it in memory. Reads mostly go forward. */
const lateColumn = (descriptor: number, position: number, bars: number) => {
  const window = new Float64Array(windowBars)
  /** Reads numbers into the window from `start` on, which must be a multiple of the window's length. */
  const fetch = (start: number): void => {
    const bytes = Math.max(0, Math.min(windowBars, bars - start)) * 8
    if (fs.readSync(descriptor, bytesOf(window), 0, bytes, position + start * 8) !== bytes)
      throw new Error("the column cache became shorter while it was read: run again")
  }
  return { window, fetch }
}

const reader = ({ window, fetch }: Late): ((bar: number) => number) => {
  let start = -1
  return (bar) => {
    const within = bar % windowBars
    if (bar - within !== start) {
      start = bar - within
      fetch(start)
    }
    return window[within] ?? 0
  }
}

const lateLeaves = (low: Late, high: Late): Leaves => {
  const fetch = (bar: number): void => {
    leaves.from = bar - (bar % windowBars)
    leaves.to = leaves.from + windowBars
    low.fetch(leaves.from)
    high.fetch(leaves.from)
  }
  const leaves: Leaves = { lower: low.window, upper: high.window, from: 0, to: 0, fetch }
  return leaves
}

const readSections = (
  descriptor: number,
  header: Header,
  wanted: WantedColumns
): Pick<Cached, "candles" | "indices"> => {
  const { bars, runs, stepMillis, priceScale } = header
  let position = headerBytes
  const take = (length: number, isWanted = true): Column => {
    const section = column(isWanted ? length : 0)
    // One read returns at most two gigabytes.
    for (let done = 0; done < section.byteLength; ) {
      const part = Math.min(section.byteLength - done, 1 << 28)
      done += fs.readSync(descriptor, bytesOf(section), done, part, position + done)
    }
    position += length * 8
    return section
  }
  const time = { bars, stepMillis, runBars: Float64Array.from(take(runs)), runTimes: Float64Array.from(take(runs)) }
  const late = () => lateColumn(descriptor, position, bars)
  const isLate = wanted.range === "late"
  const lateHigh = late()
  const high = take(bars, !isLate)
  const lateLow = late()
  const low = take(bars, !isLate)
  const close = take(bars)
  const lateOpen = wanted.open === "late" ? { readOpen: reader(late()) } : {}
  const open = take(bars, wanted.open === true)
  const lateVolume = wanted.volume === "late" ? { readVolume: reader(late()) } : {}
  const volume = take(bars, wanted.volume === true)
  const levels = () => levelLengths(bars).map((length) => take(length))
  const indices = {
    orders: over(isLate ? lateLeaves(lateLow, lateHigh) : allLeaves(low, high), levels(), levels()),
    closes: over(allLeaves(close, close), levels(), levels())
  }
  const columns = { open, high, low, close, volume, ...lateOpen, ...lateVolume }
  return { candles: { bars, time, ...columns, priceScale }, indices }
}

const expectedBytes = ({ bars, runs }: Header): number =>
  headerBytes + 8 * (runs * 2 + bars * 5 + 4 * levelLengths(bars).reduce((sum, length) => sum + length, 0))

/** Returns the content of the open cache file if it belongs to the source. Calls `sha256` only if the stamp differs. */
export const load = (
  descriptor: number,
  stamp: Stamp,
  sha256: () => string,
  { repair, tradeCandleMillis }: ReadAs,
  wanted: WantedColumns
): Cached | undefined => {
  const header = readHeader(descriptor)
  if (header === undefined || fs.fstatSync(descriptor).size !== expectedBytes(header)) return undefined
  if (header.tradeCandleMillis !== tradeCandleMillis) return undefined
  if (header.repair.length !== repair.size || !header.repair.every((name) => repair.has(name))) return undefined
  if (!isDeepStrictEqual(header.stamp, stamp) && header.sha256 !== sha256()) return undefined
  return { ...header.checked, ...readSections(descriptor, header, wanted), sha256: header.sha256 }
}

export const store = (
  cacheFile: string,
  stamp: Stamp,
  sha256: string,
  { repair, tradeCandleMillis }: ReadAs,
  { candles, ...checked }: Checked & { readonly candles: Candles }
): Indices => {
  fs.mkdirSync(dirname(cacheFile), { recursive: true, mode: 0o700 })
  const indices = buildIndices(candles)
  const { bars, time, priceScale } = candles
  const { stepMillis, runBars } = time
  const checkSummary = { ...checked, problems: checked.problems.slice(0, 20) }
  const of = { version, stamp, sha256, repair: [...repair], tradeCandleMillis }
  const header = { ...of, bars, stepMillis, runs: runBars.length, priceScale }
  const encoded = encodeHeader({ ...header, checked: checkSummary })
  if (encoded === undefined) return indices
  // The source's content names the file, so two writers with the same options write the same bytes.
  const temporary = `${cacheFile}.${sha256.slice(0, 12)}.part`
  const descriptor = fs.openSync(temporary, "w")
  try {
    fs.writeSync(descriptor, encoded)
    for (const values of sections(candles, indices)) {
      const bytes = bytesOf(values)
      for (let done = 0; done < bytes.length; )
        done += fs.writeSync(descriptor, bytes, done, Math.min(bytes.length - done, 1 << 28))
    }
  } finally {
    fs.closeSync(descriptor)
  }
  fs.renameSync(temporary, cacheFile)
  return indices
}
