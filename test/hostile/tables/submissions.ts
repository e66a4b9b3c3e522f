/** Lies in the answer to signed bytes, delivered or not: whatever is answered, no payment is made twice. */
import { createHash } from "node:crypto"
import { type About, type Attack, quiet, type Tell } from "../Attack.ts"

const says =
  (status: number, message: string): Tell =>
  (said, { answer }) => {
    answer.status = status
    for (const name of Object.keys(said)) delete said[name]
    said["message"] = message
  }
const acknowledges =
  (hash: (about: About) => string | undefined): Tell =>
  (said, about) => {
    about.answer.status = 200
    for (const name of Object.keys(said)) delete said[name]
    said["intentHash"] = hash(about)
  }
/** Whatever is answered: the order shows the deposit soon, and that counts. */
const submit = (lie: string, tell: Tell, more: Partial<Attack> = {}): Attack => ({
  call: "submit",
  field: "answer",
  lie,
  tell,
  must: quiet,
  ...more
})

export const submissions: ReadonlyArray<Attack> = [
  submit(
    "executed, but of another hash",
    acknowledges(() => "1".repeat(44))
  ),
  submit(
    "executed, with the hash of another payment",
    acknowledges(({ hashes }) => hashes[0])
  ),
  submit(
    "executed, with a hash of somebody",
    acknowledges(() => createHash("sha256").update("x").digest("hex"))
  ),
  submit("executed, but its nonce was used", says(400, "nonce was already used")),
  submit("executed, but too late", says(400, "deadline has expired")),
  submit("executed, but without money", says(400, "insufficient balance or overflow")),
  submit("executed, but with a wrong signature", says(400, "invalid signature")),
  submit("executed, but the key does not exist", says(400, "public key 'ed25519:x' doesn't exist for account")),
  submit("executed, but refused", says(400, "request rejected")),
  submit("executed, but forbidden", says(403, "forbidden")),
  submit("executed, but nobody found it", says(404, "not found")),
  submit("executed, but in conflict", says(409, "conflict")),
  submit("executed, but failed", says(500, "internal error")),
  submit("executed, but not yet", says(503, "try again")),
  submit("executed, but too many", says(429, "slow down")),
  submit(
    "never heard of, and acknowledged",
    acknowledges(({ hashes }) => hashes.at(-1)),
    { swallows: true, must: { alerts: [0, 1] } }
  ),
  submit(
    "never heard of, and of another hash",
    acknowledges(() => "1".repeat(44)),
    { swallows: true, must: { alerts: [0, 1] } }
  ),
  submit("never heard of, and its nonce was used", says(400, "nonce was already used"), {
    swallows: true,
    must: { alerts: [0, 1] }
  }),
  submit("never heard of, and without money", says(400, "insufficient balance or overflow"), {
    swallows: true,
    must: { alerts: [0, 1] }
  }),
  submit("never heard of, and too late", says(400, "deadline has expired"), {
    swallows: true,
    must: { alerts: [0, 1] }
  }),
  submit("never heard of, and failed", says(500, "internal error"), { swallows: true, must: { alerts: [0, 1] } })
]
