/**
 * Makes the key pair that proves the bot's identity to push services (RFC 8292). A browser names its push service by an address, which
 * could belong to anyone. So messages go only to the services of the usual browsers and to those that the owner names.
 */
import { createECDH } from "node:crypto"
import { Redacted } from "effect"

export interface PushSettings {
  /** An e-mail address of the operator, for the push service. */
  readonly contact: string
  /** Hosts of further push services, with the port if it is not the usual one. */
  readonly services: ReadonlyArray<string>
}

export interface KeyPair {
  /** The point, uncompressed, in base64url. */
  readonly publicKey: string
  /** 32 bytes in base64url. */
  readonly privateKey: Redacted.Redacted
}

export const howToMakeOne = "openssl rand -hex 32 makes one"

/** From 64 hexadecimal digits; `undefined` if they are not a key. */
export const keyPairOf = (secret: Redacted.Redacted): KeyPair | undefined => {
  const text = Redacted.value(secret)
  if (!/^[0-9A-Fa-f]{64}$/.test(text)) return undefined
  const curve = createECDH("prime256v1")
  try {
    curve.setPrivateKey(text, "hex")
  } catch {
    return undefined
  }
  return {
    publicKey: curve.getPublicKey("base64url", "uncompressed"),
    privateKey: Redacted.make(Buffer.from(text, "hex").toString("base64url"))
  }
}

/** The services of Chrome and most others, Firefox, Safari, and Edge: these hosts, and hosts below them. */
const usual = ["fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com"]

/** Returns the host of an allowed push service; `undefined` for every other address. */
export const serviceOf = (endpoint: string, { services }: PushSettings): string | undefined => {
  const url = URL.parse(endpoint)
  if (url === null || url.protocol !== "https:" || url.username + url.password + url.hash !== "") return undefined
  const isUsual = url.port === "" && usual.some((each) => url.hostname === each || url.hostname.endsWith(`.${each}`))
  return isUsual || services.includes(url.host) ? url.host : undefined
}
