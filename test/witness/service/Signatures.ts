/** NEP-413 and the service's own key, written from the specification with Node's cryptography alone. */
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto"
import bs58 from "bs58"
import { at } from "./Json.ts"

const spki = Buffer.from("302a300506032b6570032100", "hex")

/** The bytes behind a key or signature; the prefix may be left out. */
const bytesOf = (value: unknown): Buffer => {
  try {
    return Buffer.from(bs58.decode(String(value).replace(/^ed25519:/, "")))
  } catch {
    return Buffer.alloc(0)
  }
}

const length = (count: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}
const string = (text: string): Buffer => Buffer.concat([length(Buffer.byteLength(text)), Buffer.from(text)])

export interface Signed {
  /** What the digest says: the hash of the intent. */
  readonly hash: string
  /** The account that owns the key without registration. */
  readonly signer: string
  readonly message: unknown
  readonly nonce: string
  readonly recipient: string
}

/** What was signed, or why it is refused: signature, message, recipient, deadline, owner, nonce, in this order. */
export const opened = (signedData: unknown, verifier: string, now: number): Signed | string => {
  const payload = at(signedData, "payload")
  const [message, nonce, recipient] = ["message", "nonce", "recipient"].map((name) => at(payload, name))
  const callback = at(payload, "callbackUrl")
  if (at(signedData, "standard") !== "nep413") return "this signing standard is not spoken here"
  if (typeof message !== "string" || typeof nonce !== "string" || typeof recipient !== "string") return "no payload"
  const [key, signature] = [bytesOf(at(signedData, "public_key")), bytesOf(at(signedData, "signature"))]
  if (key.length !== 32 || signature.length !== 64) return "no key, or no signature"
  const bytes = Buffer.from(nonce, "base64")
  const preimage = Buffer.concat([
    Buffer.from([0x9d, 0x01, 0x00, 0x80]),
    string(message),
    bytes,
    string(recipient),
    typeof callback === "string" ? Buffer.concat([Buffer.from([1]), string(callback)]) : Buffer.from([0])
  ])
  const digest = createHash("sha256").update(preimage).digest()
  const publicKey = createPublicKey({ key: Buffer.concat([spki, key]), format: "der", type: "spki" })
  if (!verify(null, digest, publicKey, signature)) return "the signature is not of this key"
  const said = parsed(message)
  if (said === undefined) return "the message is not JSON"
  if (recipient !== verifier) return "addressed to somebody else"
  if (!(Date.parse(String(at(said, "deadline"))) >= now)) return "too late"
  const signer = key.toString("hex")
  if (at(said, "signer_id") !== signer) return "the key is not the signer's"
  if (bytes.length !== 32) return "a nonce has 32 bytes"
  return { hash: bs58.encode(digest), signer, message: said, nonce, recipient }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const house = generateKeyPairSync("ed25519")
export const quoteKey = `ed25519:${bs58.encode(house.publicKey.export({ format: "der", type: "spki" }).subarray(-32))}`

const always = ["dry", "swapType", "slippageTolerance", "originAsset", "depositType", "destinationAsset", "amount"]
const asked = [...always, "refundTo", "refundType", "recipient", "recipientType", "deadline"]
const extras = ["virtualChainRecipient", "virtualChainRefundRecipient", "customRecipientMsg"]
const answered = ["amountIn", "amountInFormatted", "amountInUsd", "minAmountIn", "amountOut", "amountOutFormatted"]
const real = [
  "depositAddress",
  "depositMemo",
  "deadline",
  "timeWhenInactive",
  "timeEstimate",
  "refundFee",
  "withdrawFee"
]

/** Over one flat object with sorted keys: parts of the request, overlaid by parts of the quote, and the time. */
export const quoteSignature = (request: object, quoted: object, timestamp: string): string => {
  const flat: Record<string, unknown> = { timestamp }
  const take = (from: object, names: ReadonlyArray<string>, evenIfEmpty: boolean) => {
    for (const name of names) if (evenIfEmpty || at(from, name)) flat[name] = at(from, name)
  }
  take(request, asked, true)
  take(request, ["quoteWaitingTimeMs", "referral", ...extras], false)
  take(quoted, [...answered, "amountOutUsd", "minAmountOut"], true)
  if (at(request, "dry") !== true) take(quoted, [...real, ...extras], false)
  const sorted = Object.fromEntries(Object.entries(flat).sort(([a], [b]) => (a < b ? -1 : 1)))
  const text = bs58.encode(createHash("sha256").update(JSON.stringify(sorted)).digest())
  return `ed25519:${bs58.encode(sign(null, Buffer.from(text), house.privateKey))}`
}
