/** Keys and tokens derive from the seed, so a restarted sandbox accepts those that it issued before. No token is stored. */
import { createHmac } from "node:crypto"
import { Option, Schema } from "effect"
import { present } from "../../domain/Present.ts"
import * as Ed25519 from "../../signing/Ed25519.ts"
import * as SigningKey from "../core/money/SigningKey.ts"
import * as Seeded from "../Seeded.ts"
import type { SandboxSettings } from "../Settings.ts"

/** `partner`: a partner's JWT. `access` and `refresh`: an end user's session. */
const Claims = Schema.Struct({
  use: Schema.Literals(["partner", "access", "refresh"]),
  sub: Schema.String,
  /** Seconds since the epoch. Absent: it does not expire. */
  exp: Schema.optionalKey(Schema.Int)
})
type Claims = typeof Claims.Type

const decodeClaims = Schema.decodeUnknownOption(Schema.fromJsonString(Claims))
const header = Buffer.from(JSON.stringify({ alg: "HS256", typ: "JWT" })).toString("base64url")

const signatureOf = (seed: number, content: string): string =>
  createHmac("sha256", Seeded.bytes(seed, "token secret")).update(content).digest("base64url")

export const issue = (seed: number, claims: Claims): string => {
  const content = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`
  return `${content}.${signatureOf(seed, content)}`
}

/** Reads the claims of our own token while it is valid. The HTTP header bounds the length of the text. */
export const readToken = (seed: number, token: string, use: Claims["use"], nowMillis: number): Claims | undefined => {
  if (token === "") return undefined
  const end = token.lastIndexOf(".")
  const content = token.slice(0, Math.max(0, end))
  if (signatureOf(seed, content) !== token.slice(end + 1)) return undefined
  const text = Buffer.from(content.slice(content.indexOf(".") + 1), "base64url").toString("utf8")
  const claims = Option.getOrUndefined(decodeClaims(text))
  const isGood = claims?.use === use && (claims.exp === undefined || claims.exp * 1000 > nowMillis)
  return isGood ? claims : undefined
}

export const partners = ["sandbox-partner", "other-partner"] as const

const apiKey = (seed: number, partner: string): string => `sandbox-${Seeded.hex(seed, "api key", partner)}`

export const partnersByApiKey = (seed: number): ReadonlyMap<string, string> =>
  new Map(partners.map((partner) => [apiKey(seed, partner), partner]))

type GeneratedAccount = Readonly<Record<"key" | "signerId", string>>

export const generatedAccount = (seed: number, number = 1): GeneratedAccount => {
  const purpose = number === 1 ? "account" : (`account ${number}` as const)
  return {
    key: Ed25519.format(SigningKey.secretKey(seed, purpose)),
    signerId: Buffer.from(SigningKey.publicKey(seed, purpose)).toString("hex")
  }
}

const otherAccounts = ({ accounts, seed }: SandboxSettings): ReadonlyArray<GeneratedAccount> => {
  const others: Array<GeneratedAccount> = []
  for (let next = generatedAccount(seed, 2); accounts.includes(next.signerId); ) {
    others.push(next)
    next = generatedAccount(seed, others.length + 2)
  }
  return others
}

export const connection = (settings: SandboxSettings) => {
  const { facts, ledger, seed, verifier } = settings
  const others = otherAccounts(settings)
  return {
    apiKey: apiKey(seed, partners[0]),
    partnerJwt: issue(seed, { use: "partner", sub: partners[0] }),
    quoteKey: Ed25519.format(SigningKey.publicKey(seed, "quotes")),
    ledger,
    verifier,
    ...present({ facts }),
    account: generatedAccount(seed),
    ...(others.length === 0 ? {} : { others })
  }
}
