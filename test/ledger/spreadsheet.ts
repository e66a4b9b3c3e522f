/** A reader of OpenDocument sheets that shares nothing with the writer: members by the directory at the end of the zip file. */
import { crc32 } from "node:zlib"

/** The members in their order; fails on a size, offset or checksum that is not so. */
export const membersOf = (file: Uint8Array): ReadonlyArray<readonly [name: string, text: string]> => {
  const bytes = Buffer.from(file)
  const end = bytes.length - 22
  if (bytes.readUInt32LE(end) !== 0x06054b50) throw new Error("no end of a directory")
  const [count, size, offset] = [
    bytes.readUInt16LE(end + 10),
    bytes.readUInt32LE(end + 12),
    bytes.readUInt32LE(end + 16)
  ]
  if (bytes.readUInt16LE(end + 8) !== count || offset + size !== end) throw new Error("the directory is elsewhere")
  const members: Array<readonly [string, string]> = []
  let at = offset
  for (let index = 0; index < count; index += 1) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new Error("no entry of a directory")
    // Needs version 2.0, no flags, stored as it is, dated 1 January 1980.
    const [made, needs, flags, method, date] = [4, 6, 8, 10, 14].map((place) => bytes.readUInt16LE(at + place))
    if (made !== 20 || needs !== 20 || flags !== 0 || method !== 0 || date !== 0x21) throw new Error("an odd member")
    const [sum, stored, whole] = [16, 20, 24].map((place) => bytes.readUInt32LE(at + place))
    const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place))
    const start = bytes.readUInt32LE(at + 42)
    const entry = 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
    if (bytes.readUInt32LE(start) !== 0x04034b50) throw new Error("no member where the directory says")
    // From the version to the lengths, the member repeats what the directory says.
    if (!bytes.subarray(start + 4, start + 30).equals(bytes.subarray(at + 6, at + 32))) throw new Error("not the same")
    const body = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    const content = bytes.subarray(body, body + (stored ?? 0))
    if (stored !== whole || crc32(content) !== sum) throw new Error("damaged")
    members.push([bytes.subarray(at + 46, at + 46 + (name ?? 0)).toString("utf8"), content.toString("utf8")])
    at += entry
  }
  if (at !== end) throw new Error("more than the directory counts")
  return members
}

const plain = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&")

/** Rows of cells by sheet; a number as `=1.5`, cells that are left empty as "". */
export const sheetsOf = (content: string): ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>> =>
  new Map(
    [...content.matchAll(/<table:table table:name="([^"]*)">(.*?)<\/table:table>/gs)].map(
      ([, name = "", body = ""]) => [
        plain(name),
        [...body.matchAll(/<table:table-row>(.*?)<\/table:table-row>/gs)].map(([, row = ""]) =>
          [...row.matchAll(/<table:table-cell ([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
            ([, attributes = "", inner]) => {
              const [, empty] = /number-columns-repeated="(\d+)"/.exec(attributes) ?? []
              if (inner === undefined) return Array.from({ length: Number(empty) }, () => "")
              const [, value] = /office:value="([^"]*)"/.exec(attributes) ?? []
              return [value === undefined ? plain(inner.replace(/<\/?text:p>/g, "")) : `=${value}`]
            }
          )
        )
      ]
    )
  )
