/**
 * A signer process that lies: it signs for somebody else, repeats what it answered last, signs by another key, or for years.
 * What it says is as consistent as it can be, so that only what it was asked for shows the lie.
 */
import { Effect, Layer } from "effect"
import * as SigningKey from "../../src/sandbox/core/money/SigningKey.ts"
import * as Seeded from "../../src/sandbox/Seeded.ts"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import * as Guard from "../../src/signing/IntentGuard.ts"
import * as Nep413 from "../../src/signing/Nep413.ts"
import type { Scene } from "./Hands.ts"

interface SignerMessage {
  deadline: string
  readonly intents: ReadonlyArray<{ receiver_id: string; readonly tokens: Record<string, string> }>
}

interface SignerPayload {
  readonly message: string
  readonly nonce: string
  readonly recipient: string
}

/** What it signs instead; by another key where it changes nothing. */
const changes: Readonly<Record<string, (message: SignerMessage) => void>> = {
  "another receiver": ({ intents }) => {
    for (const intent of intents) intent.receiver_id = "thief.near"
  },
  "another amount": ({ intents }) => {
    for (const { tokens } of intents)
      for (const [asset, amount] of Object.entries(tokens)) tokens[asset] = String(BigInt(amount) * 2n)
  },
  "another deadline": (message) => {
    message.deadline = "2036-01-01T00:00:00.000Z"
  },
  "another key": () => undefined
}
const repetition = "its last answer again"

export const names: ReadonlyArray<string> = [...Object.keys(changes), repetition].map((lie) => `odd signer: ${lie}`)

export const layer = (
  { isCalm, note, plan: { seed } }: Scene,
  payer: Guard.PayingAccount
): Layer.Layer<Guard.IntentGuard> => {
  let last: Guard.SignedPayload | undefined

  const signed = ({ message, nonce, recipient }: SignerPayload, keySeed: number): Guard.SignedPayload => {
    const digest = Nep413.digest({ message, nonce: Nep413.parseNonce(nonce) ?? new Uint8Array(), recipient })
    const signedData = {
      standard: "nep413",
      payload: { message, nonce, recipient },
      public_key: Ed25519.format(SigningKey.publicKey(keySeed, "account")),
      signature: Ed25519.format(SigningKey.sign(keySeed, "account", digest))
    }
    return {
      body: JSON.stringify({ type: "swap_transfer", signedData }),
      intentHash: Nep413.hashText(digest),
      validUntil: Date.parse(JSON.parse(message).deadline) + 1,
      isEarlier: false
    }
  }

  const answer = (asked: SignerPayload): Guard.SignedPayload => {
    const dice = (...keys: ReadonlyArray<string>) => Seeded.fraction(seed, "signer", asked.nonce, ...keys)
    const honest = signed(asked, seed)
    if (isCalm() || dice() > 0.25) return honest
    const lies = [...Object.keys(changes), repetition]
    const lie = lies[Math.floor(dice("which") * lies.length)] ?? repetition
    if (lie === repetition && last === undefined) return honest
    note(`odd signer: ${lie}`)
    const isEarlier = dice("earlier") < 0.5
    if (lie === repetition && last !== undefined) return { ...last, isEarlier }
    const message: SignerMessage = JSON.parse(asked.message)
    changes[lie]?.(message)
    const changed = { ...asked, message: JSON.stringify(message) }
    return { ...signed(changed, lie === "another key" ? seed + 1 : seed), isEarlier }
  }

  return Layer.effect(
    Guard.IntentGuard,
    Guard.make(payer, ({ wire }) =>
      Effect.sync(() => {
        const given = answer(JSON.parse(JSON.stringify(wire)))
        last = given
        return given
      })
    )
  )
}
