/**
 * Signatures at the edges of RFC 8032: what is malleable, short, long, not canonical or of a key of small order proves nothing.
 * The good one of each case is made by Node.
 */
import { createPrivateKey, sign } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import * as Ed25519 from "../../src/signing/Ed25519.ts"

const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex")
const seed = Buffer.alloc(32, 7)
const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" })
/** Published with the account of this seed. */
const publicKey = "ed25519:GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB"
const message = new TextEncoder().encode("a payment")
const good = Uint8Array.from(sign(null, message, privateKey))
const order = 2n ** 252n + 27742317777372353535851937790883648493n

const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`)
const bytes = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(64, "0"), "hex").reverse()
const withS = (s: bigint): Uint8Array => Uint8Array.from([...good.slice(0, 32), ...bytes(s)])
const flipped = (index: number): Uint8Array => good.map((byte, at) => (at === index ? byte ^ 1 : byte))
const s = number(good.slice(32))
const field = 2n ** 255n - 19n

/** The eight points of small order, and other spellings of two of them. */
const smallOrder = [
  bytes(0n),
  bytes(1n),
  bytes(field - 1n),
  bytes(field),
  bytes(field + 1n),
  Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex"),
  Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85", "hex"),
  Buffer.from("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", "hex"),
  Buffer.from("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa", "hex")
]

const forged: ReadonlyArray<readonly [what: string, signature: Uint8Array]> = [
  ["S + L, which is the same S", withS(s + order)],
  ["S = L", withS(order)],
  ["S = 0", withS(0n)],
  ["the highest S", withS(2n ** 256n - 1n)],
  ["another bit of R", flipped(0)],
  ["another sign of R", good.map((byte, at) => (at === 31 ? byte ^ 0x80 : byte))],
  ["another bit of S", flipped(63)],
  ["nothing but zeros", new Uint8Array(64)],
  ["63 bytes", good.slice(0, 63)],
  ["65 bytes", Uint8Array.from([...good, 0])],
  ["no bytes", new Uint8Array()],
  ["its halves exchanged", Uint8Array.from([...good.slice(32), ...good.slice(0, 32)])]
]

describe("an Ed25519 signature", () => {
  it("by Node is valid, for its message and its key only", () => {
    assert.isTrue(Ed25519.verify(publicKey, message, Ed25519.format(good)))
    assert.isFalse(Ed25519.verify(publicKey, new TextEncoder().encode("a payment "), Ed25519.format(good)))
    assert.isFalse(Ed25519.verify(publicKey, new Uint8Array(), Ed25519.format(good)))
    assert.isFalse(Ed25519.verify(Ed25519.format(bytes(number(seed))), message, Ed25519.format(good)))
  })

  it.each(forged)("of %s is invalid", (_, signature) => {
    assert.isFalse(Ed25519.verify(publicKey, message, Ed25519.format(signature)))
  })

  it("fails with any single bit changed", () => {
    for (let bit = 0; bit < 512; bit += 1) {
      const changed = good.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
      assert.isFalse(Ed25519.verify(publicKey, message, Ed25519.format(changed)), `bit ${bit}`)
    }
  })

  it("of a key of small order proves nothing", () => {
    for (const key of smallOrder) {
      for (const r of smallOrder) {
        const signature = Ed25519.format(Uint8Array.from([...r, ...bytes(0n)]))
        assert.isFalse(Ed25519.verify(Ed25519.format(key), message, signature), Buffer.from(key).toString("hex"))
      }
    }
  })

  const texts = [
    bs58.encode(good),
    `ED25519:${bs58.encode(good)}`,
    `ed25519: ${bs58.encode(good)}`,
    `ed25519:${bs58.encode(good)}\n`,
    `ed25519:${bs58.encode(good).replace(/./, "0")}`,
    `ed25519:1${bs58.encode(good)}`,
    `ed25519:${Buffer.from(good).toString("base64")}`,
    `secp256k1:${bs58.encode(good)}`,
    `ed25519:${"1".repeat(100_000)}`,
    "ed25519:",
    ""
  ]
  it.each(texts)("in another encoding is invalid: %#", (text) => {
    assert.isFalse(Ed25519.verify(publicKey, message, text))
    assert.isFalse(Ed25519.verify(text, message, Ed25519.format(good)))
  })
})
