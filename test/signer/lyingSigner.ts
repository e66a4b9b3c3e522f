/** A signer process that answers whatever a test likes, on the socket of a real one and with a real key. */
import { createPublicKey, sign as signBytes } from "node:crypto"
import { createServer, type Server } from "node:net"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import * as Nep413 from "../../src/signing/Nep413.ts"

export interface Asked {
  readonly _tag: string
  readonly payload: Payload
  readonly depositAddress: string
  readonly amount: string
}

export interface Payload {
  readonly message: string
  readonly nonce: string
  readonly recipient: string
}

export interface Signed {
  readonly _tag: string
  readonly body: string
  readonly intentHash: string
  readonly validUntil: number
}

/** Answers each line of JSON with one. */
export const listen = (socket: string, answer: (asked: Asked) => unknown): Promise<Server> =>
  new Promise((done) => {
    const server = createServer((connection) => {
      let text = ""
      connection.on("error", () => connection.destroy())
      connection.setEncoding("utf8").on("data", (part: string) => {
        text += part
        if (text.endsWith("\n")) connection.end(`${JSON.stringify(answer(JSON.parse(text)))}\n`)
      })
    })
    server.listen(socket, () => done(server))
  })

/** Signs any payload by the key of this seed. */
export const signer = (seed: Uint8Array) => {
  const key = Ed25519.privateKeyOf(seed)
  const publicKey = Ed25519.format(createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32))
  const signatureOf = (digest: Uint8Array) => Ed25519.format(signBytes(null, digest, key))
  const digestOf = ({ message, nonce, recipient }: Payload) =>
    Nep413.digest({ message, nonce: Buffer.from(nonce, "base64"), recipient })
  const sign = (payload: Payload): Signed => {
    const digest = digestOf(payload)
    const signedData = { standard: "nep413", payload, public_key: publicKey, signature: signatureOf(digest) }
    return {
      _tag: "Signed",
      body: JSON.stringify({ type: "swap_transfer", signedData }),
      intentHash: Nep413.hashText(digest),
      validUntil: Date.parse(JSON.parse(payload.message).deadline) + 1
    }
  }
  return { publicKey, sign, signatureOf }
}

/** Changes the message that is to be signed. */
export const withMessage = (payload: Payload, change: (message: Message) => void): Payload => {
  const message: Message = JSON.parse(payload.message)
  change(message)
  return { ...payload, message: JSON.stringify(message) }
}

interface Message {
  deadline: string
  signer_id: string
  intents: Array<{ receiver_id: string; tokens: Record<string, string> }>
}
