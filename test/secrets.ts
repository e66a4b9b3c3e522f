/**
 * A secret as it could come out: six spellings in which programs write bytes. In base64 a secret inside a longer text has
 * three possible spellings; the ends, which its neighbours change, are left out.
 */
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import bs58 from "bs58"

const base64Cores = (bytes: Buffer, encoding: "base64" | "base64url"): ReadonlyArray<string> =>
  [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString(encoding)
      .replace(/=+$/, "")
    return text.slice(shift === 0 ? 0 : 4, -2)
  })

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

const asText = (secret: string): ReadonlyArray<string> => [
  secret,
  inJson(secret),
  inJson(inJson(secret)),
  encodeURIComponent(secret)
]

export const spellings = (secret: string | Buffer): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  const all = [
    ...(typeof secret === "string" ? asText(secret) : [bs58.encode(secret)]),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    ...base64Cores(bytes, "base64"),
    ...base64Cores(bytes, "base64url")
  ]
  return [...new Set(all)]
}

/** What makes the signed payments of a journal usable: message, nonce and signature. None for what is not a journal. */
export const signedIn = (journal: string, most = Number.POSITIVE_INFINITY): ReadonlyArray<string> => {
  if (!existsSync(journal)) return []
  try {
    const database = new DatabaseSync(journal, { readOnly: true })
    try {
      const rows = database
        .prepare("SELECT body FROM journal WHERE event = 'FundingSigned' ORDER BY sequence DESC LIMIT ?")
        .all(Math.min(most, 100_000))
      return rows.flatMap(({ body }) => partsOf(JSON.parse(String(body)).signed))
    } finally {
      database.close()
    }
  } catch {
    return [] // Some tests leave journals that nobody can read.
  }
}

const partsOf = (signed: string): ReadonlyArray<string> => {
  const { signedData } = JSON.parse(signed)
  if (signedData === undefined) return []
  return [signedData.payload.message, signedData.payload.nonce, signedData.signature]
}
