import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PlainBytes from "../../src/candles/table/PlainBytes.ts"
import * as RunCandles from "../../src/lab/runs/RunCandles.ts"

const text = "time,open,high,low,close\n2025-01-01,1,2,1,1\n2025-01-02,1,2,1,1\n"

/** An archive as Info-ZIP writes it, without checksums. */
const zipped = (...files: ReadonlyArray<readonly [name: string, text: string]>): Uint8Array => {
  const locals: Array<Uint8Array> = []
  const directory: Array<Uint8Array> = []
  let at = 0
  for (const [name, written] of files) {
    const packed = deflateRawSync(Buffer.from(written))
    const sizes = (head: number, offset: number, of: Buffer): Buffer => {
      of.writeUInt32LE(head, 0)
      of.writeUInt32LE(packed.length, offset)
      of.writeUInt32LE(written.length, offset + 4)
      of.writeUInt16LE(name.length, offset + 8)
      return of
    }
    const local = Buffer.concat([sizes(0x04034b50, 18, Buffer.alloc(30)), Buffer.from(name), packed])
    const central = sizes(0x02014b50, 20, Buffer.alloc(46))
    central.writeUInt16LE(8, 10)
    central.writeUInt32LE(at, 42)
    directory.push(central, Buffer.from(name))
    locals.push(local)
    at += local.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, ...directory, end])
}

/** Sets a byte of the directory. */
const withByte = (archive: Uint8Array, offset: number, byte: number): Uint8Array => {
  const bytes = Buffer.from(archive)
  bytes[bytes.indexOf("PK\x01\x02") + offset] = byte
  return bytes
}

const utf16 = Buffer.from(text, "utf16le")

describe("the text of a file", () => {
  it.each<readonly [string, Uint8Array]>([
    ["unchanged", Buffer.from(text)],
    ["gzip", gzipSync(text)],
    ["Zstandard", zstdCompressSync(text)],
    ["a ZIP archive of one file", zipped(["BTCUSDT-1m.csv", text])],
    ["UTF-16 with a mark", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ["UTF-16 without a mark", utf16],
    ["UTF-16, the high byte first", Buffer.from(utf16).swap16()],
    ["carriage returns alone", Buffer.from(text.replaceAll("\n", "\r"))]
  ])("is the same: %s", (_, bytes) => assert.strictEqual(new TextDecoder().decode(PlainBytes.textOf(bytes)), text))

  it.each<readonly [string, Uint8Array, RegExp]>([
    ["two files in an archive", zipped(["a.csv", text], ["b.csv", text]), /2 files \(a\.csv, b\.csv\): unpack it/],
    ["a workbook", zipped(["[Content_Types].xml", ""], ["xl/workbook.xml", ""]), /an Excel workbook: save it as CSV/],
    ["a truncated archive", zipped(["a.csv", text]).subarray(0, 60), /cut off/],
    ["JSON", Buffer.from('[[1735689600000,"1"]]'), /JSON: write it as CSV/],
    ["JSON after a mark", Buffer.from('\uFEFF [ { "time": 1, "open": 2 } ]'), /JSON: write it as CSV/],
    [
      "a tar archive",
      gzipSync(Buffer.concat([Buffer.alloc(257, "a"), Buffer.from("ustar")])),
      /tar archive: unpack it/
    ],
    ["an archive with a password", withByte(zipped(["a.csv", text]), 8, 1), /with a password or of an unusual kind/],
    ["an archive of another method", withByte(zipped(["a.csv", text]), 10, 12), /of an unusual kind: unpack it/],
    ["bzip2", Buffer.from("BZh91AY"), /bunzip2/]
  ])("is refused with the file's name: %s", (_, bytes, message) =>
    assert.throws(() => PlainBytes.textOf(bytes), message)
  )
})

describe("a pattern of files", () => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-parts-"))
  const hours = (from: number, to: number, price: number) =>
    ["time,open,high,low,close"]
      .concat(
        Array.from(
          { length: to - from },
          (_, hour) => `${1_735_689_600 + (from + hour) * 3600},${price},${price},${price},${price}`
        )
      )
      .join("\n")
  writeFileSync(join(folder, "late.csv"), hours(24, 30, 2))
  writeFileSync(join(folder, "soon.csv.zip"), zipped(["soon.csv", hours(0, 24, 1)]))
  writeFileSync(join(folder, "twice.txt"), hours(23, 30, 2))
  writeFileSync(join(folder, "far.text"), hours(40, 44, 3))
  writeFileSync(join(folder, "odd.text"), hours(40.5, 44.5, 3))
  const ofPattern = (pattern: string, repair?: string) =>
    RunCandles.ofFile(
      join(folder, pattern),
      { from: undefined, to: undefined, repair, noCache: true },
      { open: true, volume: true, indexed: false }
    ).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

  it.effect("is read as one series in the order of time", () =>
    Effect.gen(function* () {
      const { candles } = yield* ofPattern("*.csv*")
      assert.deepStrictEqual([...candles.open], [...Array(24).fill(1), ...Array(6).fill(2)])
      assert.strictEqual(candles.time.runBars.length, 1)
    })
  )

  it.effect("has its gaps between the files filled or reported", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* ofPattern("*.csv*")).warnings, [])
      const { candles, warnings } = yield* ofPattern("{late.csv,far.text}")
      assert.strictEqual(candles.bars, 10)
      assert.lengthOf(warnings, 1)
      assert.match(
        warnings[0] ?? "",
        /text\}: 10 missing bars in 1 gap, the longest of 600 minutes; the first ends at 2025-01-02T16:00/
      )
      const filled = yield* ofPattern("{late.csv,far.text}", "gaps")
      assert.deepStrictEqual([...filled.candles.close], [...Array(16).fill(2), ...Array(4).fill(3)])
      assert.strictEqual(filled.repaired.gaps, 10)
      assert.match(filled.warnings.join(), /filled 10 missing bars with the close before/)
      const { message } = yield* Effect.flip(ofPattern("{late.csv,odd.text}", "gaps"))
      assert.match(
        message,
        /the gap before 2025-01-02T16:30.* is not whole candles of 3600 s; write --repair invalid,sort,duplicates,range/
      )
    })
  )

  it.effect("is refused if two files name different markets", () =>
    Effect.gen(function* () {
      const named = (rows: string, market: string) =>
        rows.replaceAll(/$/gm, `,${market}`).replace(`,${market}`, ",symbol")
      writeFileSync(join(folder, "one.named"), named(hours(0, 24, 1), "BTC"))
      writeFileSync(join(folder, "two.named"), named(hours(24, 30, 2), "ETH"))
      const { message } = yield* Effect.flip(ofPattern("*.named"))
      assert.match(message, /two\.named has symbol ETH, .*one\.named symbol BTC; choose files of one market/)
      writeFileSync(join(folder, "two.named"), named(hours(24, 30, 2), "BTC"))
      assert.strictEqual((yield* ofPattern("*.named")).candles.bars, 30)
    })
  )

  it.effect("is refused if two files have the same time", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(ofPattern("{twice.txt,soon*}"))
      assert.match(
        message,
        /twice\.txt begins at 2025-01-01 23:00:00 UTC, before .*soon\.csv\.zip ends; give each time once/
      )
    })
  )
})
