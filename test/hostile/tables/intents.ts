/** Lies in what the venue asks to be signed: nothing is signed that is more, or goes elsewhere, than what was asked for. */
import { payloads as known } from "../../simulation/Lies.ts"
import {
  type About,
  type Attack,
  isObject,
  type Json,
  nowhere,
  refused,
  type Tell,
  thief,
  type Verdict
} from "../Attack.ts"

interface Message extends Json {
  intents: Array<Json>
}

const payloadOf = (said: Json): Json => {
  const { intent } = said
  const payload = isObject(intent) ? intent["payload"] : undefined
  return isObject(payload) ? payload : {}
}

/** Changes the message to sign, which is a text of its own. */
const inMessage =
  (change: (message: Message, about: About) => void): Tell =>
  (said, about) => {
    const payload = payloadOf(said)
    const message: Message = JSON.parse(String(payload["message"]))
    change(message, about)
    payload["message"] = JSON.stringify(message)
  }

/** Changes the one transfer. */
const inTransfer = (change: (transfer: Json, about: About) => void): Tell =>
  inMessage(({ intents }, about) => {
    const [transfer] = intents
    if (transfer !== undefined) change(transfer, about)
  })

const inPayload =
  (change: (payload: Json, about: About) => void): Tell =>
  (said, about) =>
    change(payloadOf(said), about)

const tokensOf = (transfer: Json): Json => (isObject(transfer["tokens"]) ? transfer["tokens"] : {})
const withAmount = (change: (amount: string) => unknown): Tell =>
  inTransfer((transfer) => {
    const tokens = tokensOf(transfer)
    for (const token of Object.keys(tokens)) tokens[token] = change(String(tokens[token]))
  })
const another = (intent: Json): Tell =>
  inMessage(({ intents }) => {
    intents.push(intent)
  })
const instead = (intent: Json): Tell =>
  inMessage((message) => {
    message.intents = [intent]
  })

const later = (millis: number) =>
  inMessage((message, { now }) => {
    message["deadline"] = new Date(now + millis).toISOString()
  })

const intent = (field: string, lie: string, tell: Tell, must: Verdict = refused): Attack => ({
  call: "intent",
  field,
  lie,
  tell,
  must
})

const solana = "nep141:sol.omft.native"
const day = 86_400_000

export const intents: ReadonlyArray<Attack> = [
  ...Object.entries(known).map(([lie, change]) =>
    intent(
      "payload",
      lie,
      inMessage((message) => change(message))
    )
  ),
  intent(
    "receiver_id",
    "nobody",
    inTransfer((transfer) => {
      transfer["receiver_id"] = nowhere
    })
  ),
  intent(
    "receiver_id",
    "somebody else's order",
    inTransfer((transfer, { stranger }) => {
      transfer["receiver_id"] = stranger.depositAddress
    })
  ),
  intent(
    "receiver_id",
    "ourselves",
    inTransfer((transfer, { account }) => {
      transfer["receiver_id"] = account
    })
  ),
  intent(
    "receiver_id",
    "in capital letters",
    inTransfer((transfer) => {
      transfer["receiver_id"] = String(transfer["receiver_id"]).toUpperCase()
    })
  ),
  intent(
    "receiver_id",
    "with a space",
    inTransfer((transfer) => {
      transfer["receiver_id"] = `${transfer["receiver_id"]} `
    })
  ),
  intent(
    "tokens",
    "another asset",
    inTransfer((transfer) => {
      const [amount] = Object.values(tokensOf(transfer))
      transfer["tokens"] = { [solana]: amount }
    })
  ),
  intent(
    "tokens",
    "one more asset",
    inTransfer((transfer) => {
      transfer["tokens"] = { ...tokensOf(transfer), [solana]: "1" }
    })
  ),
  intent(
    "tokens",
    "none",
    inTransfer((transfer) => {
      transfer["tokens"] = {}
    })
  ),
  intent(
    "amount",
    "one unit more",
    withAmount((amount) => String(BigInt(amount) + 1n))
  ),
  intent(
    "amount",
    "one unit less",
    withAmount((amount) => String(BigInt(amount) - 1n))
  ),
  intent(
    "amount",
    "a tenth",
    withAmount((amount) => String(BigInt(amount) / 10n))
  ),
  intent(
    "amount",
    "nothing",
    withAmount(() => "0")
  ),
  intent(
    "amount",
    "less than nothing",
    withAmount((amount) => `-${amount}`)
  ),
  intent(
    "amount",
    "with a zero in front",
    withAmount((amount) => `0${amount}`)
  ),
  intent(
    "amount",
    "as a number",
    withAmount((amount) => Number(amount))
  ),
  intent(
    "amount",
    "with an exponent",
    withAmount((amount) => `${amount}e3`)
  ),
  intent(
    "amount",
    "with a fraction",
    withAmount((amount) => `${amount}.0`)
  ),
  intent(
    "transfer",
    "with a memo",
    inTransfer((transfer) => {
      transfer["memo"] = "42"
    })
  ),
  intent(
    "transfer",
    "with a call",
    inTransfer((transfer) => {
      transfer["msg"] = "{}"
    })
  ),
  intent(
    "transfer",
    "with gas",
    inTransfer((transfer) => {
      transfer["min_gas"] = "1"
    })
  ),
  intent(
    "transfer",
    "with a contract to create",
    inTransfer((transfer) => {
      transfer["state_init"] = {}
    })
  ),
  intent(
    "intents",
    "none at all",
    inMessage((message) => {
      message.intents = []
    })
  ),
  intent(
    "intents",
    "the same twice",
    inMessage(({ intents: all }) => {
      const [first] = all
      if (first !== undefined) all.push(first)
    })
  ),
  intent(
    "intents",
    "a withdrawal as well",
    another({ intent: "ft_withdraw", token: "usdc.omft.native", receiver_id: thief, amount: "1" })
  ),
  intent("intents", "a withdrawal instead", instead({ intent: "native_withdraw", receiver_id: thief, amount: "1" })),
  intent(
    "intents",
    "a trade instead",
    instead({ intent: "token_diff", diff: { [solana]: "-1000000000", "nep141:usdc.omft.native": "1" } })
  ),
  intent(
    "intents",
    "a key less as well",
    another({ intent: "remove_public_key", public_key: "ed25519:11111111111111111111111111111111" })
  ),
  intent("intents", "a call in our name", instead({ intent: "auth_call", contract_id: thief, msg: "" })),
  intent("intents", "new tokens", another({ intent: "imt_mint", receiver_id: thief, tokens: { t: "1" } })),
  intent(
    "intents",
    "storage for a thief",
    another({ intent: "storage_deposit", contract_id: "usdc", account_id: thief, amount: "1" })
  ),
  intent(
    "message",
    "with a key twice",
    inPayload((payload) => {
      payload["message"] = String(payload["message"]).replace(/^\{/, `{"signer_id":"${thief}",`)
    })
  ),
  intent(
    "message",
    "with a hidden key twice",
    inPayload((payload) => {
      payload["message"] = String(payload["message"]).replace(/^\{/, `{"signer\\u005fid":"${thief}",`)
    })
  ),
  intent(
    "message",
    "with a field more",
    inMessage((message) => {
      message["version"] = 2
    })
  ),
  intent(
    "signer_id",
    "in capital letters",
    inMessage((message) => {
      message["signer_id"] = String(message["signer_id"]).toUpperCase()
    })
  ),
  intent("deadline", "past", later(-1_000)),
  intent("deadline", "now", later(1_000)),
  intent("deadline", "in ten days", later(10 * day)),
  intent(
    "recipient",
    "another contract",
    inPayload((payload) => {
      payload["recipient"] = "evil.near"
    })
  ),
  intent(
    "nonce",
    "too short",
    inPayload((payload) => {
      payload["nonce"] = Buffer.alloc(31, 1).toString("base64")
    })
  ),
  intent(
    "nonce",
    "no base64",
    inPayload((payload) => {
      payload["nonce"] = `${"!".repeat(43)}=`
    })
  ),
  intent(
    "nonce",
    "of the payload before",
    inPayload((payload, { payloads }) => {
      const last = payloads.at(-1)
      if (last !== undefined) payload["nonce"] = payloadOf(last)["nonce"]
    })
  ),
  intent("standard", "another", (said) => {
    if (isObject(said["intent"])) said["intent"]["standard"] = "erc191"
  }),
  intent("everything", "the payload before", (said, { payloads }) => {
    const last = payloads.at(-1)
    if (last !== undefined) said["intent"] = structuredClone(last["intent"])
  }),
  intent(
    "everything",
    "of somebody else",
    inMessage((message, { stranger }) => {
      message["signer_id"] = stranger.refundTo
      message.intents = [
        {
          intent: "transfer",
          receiver_id: stranger.depositAddress,
          tokens: { [stranger.origin.id]: String(stranger.inputAmount) }
        }
      ]
    })
  )
]
