/**
 * A spreadsheet in the OpenDocument format: sheets of text and number cells in a zip container. Its members are
 * stored without compression, which every reader accepts.
 */
import { crc32 } from "node:zlib"

export type SheetCell = string | { readonly number: string }

export interface Sheet {
  readonly name: string
  readonly rows: ReadonlyArray<ReadonlyArray<SheetCell>>
}

const mimeType = "application/vnd.oasis.opendocument.spreadsheet"
const urn = "urn:oasis:names:tc:opendocument:xmlns"

export const render = (sheets: ReadonlyArray<Sheet>): Uint8Array =>
  zip([
    ["mimetype", mimeType],
    [
      "META-INF/manifest.xml",
      `<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="${urn}:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="${mimeType}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`
    ],
    ["content.xml", content(sheets)]
  ])

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const cell = (value: SheetCell): string =>
  typeof value === "string"
    ? `<table:table-cell office:value-type="string"><text:p>${escaped(value)}</text:p></table:table-cell>`
    : `<table:table-cell office:value-type="float" office:value="${value.number}"><text:p>${value.number}</text:p></table:table-cell>`

const content = (sheets: ReadonlyArray<Sheet>): string => {
  const tables = sheets.map(({ name, rows }) => {
    const width = Math.max(1, ...rows.map((row) => row.length))
    const lines = rows.map((row) => {
      const empty = width - row.length
      const rest = empty > 0 ? `<table:table-cell table:number-columns-repeated="${empty}"/>` : ""
      return `<table:table-row>${row.map(cell).join("")}${rest}</table:table-row>`
    })
    return `<table:table table:name="${escaped(name)}"><table:table-column table:number-columns-repeated="${width}"/>${lines.join("")}</table:table>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="${urn}:office:1.0" xmlns:table="${urn}:table:1.0" xmlns:text="${urn}:text:1.0" office:version="1.2"><office:body><office:spreadsheet>${tables.join("")}</office:spreadsheet></office:body></office:document-content>`
}

/** 1 January 1980, the earliest date in the format. A fixed date gives the same sheets the same bytes. */
const dosDate = 0x21

const zip = (members: ReadonlyArray<readonly [name: string, text: string]>): Uint8Array => {
  const local: Array<Buffer> = []
  const central: Array<Buffer> = []
  let offset = 0
  for (const [name, text] of members) {
    const [path, body] = [Buffer.from(name, "utf8"), Buffer.from(text, "utf8")]
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0) // version that can read it
    common.writeUInt16LE(dosDate, 8)
    common.writeUInt32LE(crc32(body), 10)
    common.writeUInt32LE(body.length, 14)
    common.writeUInt32LE(body.length, 18)
    common.writeUInt16LE(path.length, 22)
    const member = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), common, path, body])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    const madeBy = Buffer.from([20, 0])
    central.push(Buffer.concat([Buffer.from("PK\u0001\u0002", "latin1"), madeBy, common, place, path]))
    local.push(member)
    offset += member.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(members.length, 4)
  end.writeUInt16LE(members.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...local, directory, Buffer.from("PK\u0005\u0006", "latin1"), end])
}
