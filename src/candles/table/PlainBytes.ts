/**
 * Converts the bytes of a file to text in UTF-8 with line feeds. Unpacks gzip, Zstandard, and a ZIP archive of one file; converts UTF-16
 * and carriage returns. Refuses other formats by name.
 */
import { gunzipSync, inflateRawSync, zstdDecompressSync } from "node:zlib"

export const startsWith = (bytes: Uint8Array, magic: string): boolean =>
  Buffer.from(bytes.subarray(0, magic.length)).toString("latin1") === magic

/** The forms match the first bytes of a file, each as one character. */
const foreign: ReadonlyArray<readonly [form: RegExp, message: string]> = [
  [/^BZh/, "a bzip2 file: unpack it with bunzip2"],
  [/^\xfd7zXZ/, "an xz file: unpack it with unxz"],
  [/^7z\xbc\xaf/, "a 7z archive: unpack it"],
  [/^Rar!/, "a RAR archive: unpack it"],
  [/^.{257}ustar/s, "a tar archive: unpack it"],
  [/^\xd0\xcf.\xe0/s, "an Excel workbook: save it as CSV"],
  [/^SQLite format 3/, "a database: for the prices in a bot's journal write journal:FILE"],
  [/^%PDF/, "a PDF document: download the table as CSV"],
  [/^(\xef\xbb\xbf)?\s*(\{|\[\s*[[{])/, "JSON: write it as CSV"]
]

const endOfDirectory = 0x06054b50
const entry = 0x02014b50
const [encrypted, stored, deflated] = [1, 0, 8]

const unzipped = (bytes: Uint8Array): Uint8Array => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (end >= 0 && view.getUint32(end, true) !== endOfDirectory) end--
  if (end < 0) throw new Error("a ZIP archive that was cut off")
  const names: Array<string> = []
  const starts: Array<number> = []
  for (let at = view.getUint32(end + 16, true); at < end && view.getUint32(at, true) === entry; ) {
    const length = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length))
    if (!name.endsWith("/") && !name.startsWith("__MACOSX/")) {
      names.push(name)
      starts.push(at)
    }
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  if (names.some((name) => name.startsWith("xl/"))) throw new Error("an Excel workbook: save it as CSV")
  const [at] = starts
  if (at === undefined || starts.length > 1)
    throw new Error(
      `a ZIP archive of ${starts.length} files (${names.slice(0, 3).join(", ")}): unpack it, and give one of them`
    )
  const local = view.getUint32(at + 42, true)
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  const packed = bytes.subarray(start, start + view.getUint32(at + 20, true))
  const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
  if ((flags & encrypted) !== 0 || (method !== stored && method !== deflated))
    throw new Error("a ZIP archive with a password or of an unusual kind: unpack it")
  return method === stored ? packed : inflateRawSync(packed)
}

const unpacked = (bytes: Uint8Array): Uint8Array => {
  if (startsWith(bytes, "\x1f\x8b")) return gunzipSync(bytes)
  if (startsWith(bytes, "\x28\xb5\x2f\xfd")) return zstdDecompressSync(bytes)
  return startsWith(bytes, "PK\x03\x04") ? unzipped(bytes) : bytes
}

/** UTF-16 text has a byte order mark, or a zero byte in each of its first characters. */
const utf16Of = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  if (startsWith(bytes, "\xff\xfe") || (bytes[0] !== 0 && bytes[1] === 0 && bytes[3] === 0)) return "utf-16le"
  return startsWith(bytes, "\xfe\xff") || (bytes[0] === 0 && bytes[2] === 0) ? "utf-16be" : undefined
}

const headBytes = 65_536
const [LF, CR] = [10, 13]

/** Throws an error with a message for the user; for a damaged packed file, zlib's message. */
export const textOf = (file: Uint8Array): Uint8Array => {
  const bytes = unpacked(file)
  const first = Buffer.from(bytes.subarray(0, 300)).toString("latin1")
  const message = foreign.find(([form]) => form.test(first))?.[1]
  if (message !== undefined) throw new Error(message)
  const utf16 = utf16Of(bytes)
  const text = utf16 === undefined ? bytes : new TextEncoder().encode(new TextDecoder(utf16).decode(bytes))
  const head = text.subarray(0, headBytes)
  return head.includes(CR) && !head.includes(LF) ? text.map((byte) => (byte === CR ? LF : byte)) : text
}
