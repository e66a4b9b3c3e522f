/**
 * `limitbot policy sign|show`: what a signer may sign, signed by somebody who is neither the bot nor the signer; and what holds now, with
 * the room that is left. `limitbot approve`: an approver's word for one larger payment.
 */
import { Clock, Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Answer from "../../app/process/Answer.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as PolicyShown from "../../app/signer/PolicyShown.ts"
import * as Ruled from "../../app/signer/Ruled.ts"
import { type Amount, format, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { hourMillis } from "../../domain/Durations.ts"
import { iso } from "../../domain/Text.ts"
import * as PolicyFile from "../../files/PolicyFile.ts"
import * as SignerFile from "../../files/SignerFile.ts"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import * as PoliciesInForce from "../../signing/remote/PoliciesInForce.ts"
import type { Cap } from "../../signing/remote/Policy.ts"
import * as PolicySeal from "../../signing/remote/PolicySeal.ts"
import * as Record from "../../signing/remote/Record.ts"
import * as RemoteSigner from "../../signing/remote/RemoteSigner.ts"
import { publicKeyOf, Signer } from "../../signing/Signer.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"

const key = FileName.flag("key").pipe(Flag.withDescription("A file of mode 0600 with the ed25519 key that signs"))

const signing = Command.make(
  "sign",
  { file: FileName.argument("policy").pipe(Argument.withDescription("The policy (YAML)")), key },
  Effect.fn(function* ({ file, key }) {
    const fileSystem = yield* FileSystem.FileSystem
    const text = yield* fileSystem.readFileString(file)
    const { policy, version } = yield* Effect.fromResult(PolicyFile.parse(text, file))
    const secret = yield* KeyFile.read(key)
    const signature = yield* Effect.provide(PolicySeal.sealPolicy(text), Signer.layer(secret))
    yield* fileSystem.writeFileString(`${file}.sig`, `${signature}\n`)
    yield* Console.log(
      `policy ${version}, ${policy.caps.size} assets, is signed in ${file}.sig; the signer's file needs policyKey: ${yield* publicKeyOf(secret)}`
    )
  })
).pipe(help("Sign a policy: a signer takes no other"))

const showing = Command.make(
  "show",
  {
    config: FileName.flag("config").pipe(
      Flag.withAlias("c"),
      flags.byDefault("The signer's own file: key, caps, record", "config/signer.yaml")
    ),
    json: flags.json
  },
  Effect.fn(function* ({ config }) {
    const { record: file, ruling } = yield* SignerFile.load(config)
    const entries = yield* Record.read(file)
    const now = yield* Clock.currentTimeMillis
    const holding =
      "policy" in ruling
        ? [{ version: null, until: undefined, policy: ruling.policy }]
        : PoliciesInForce.holdingAt(yield* Ruled.arrivalsIn({ entries }), now)
    const policies = holding.map((each) => PolicyShown.dataOf(each, entries, now))
    return { data: () => ({ policies }), lines: () => policies.flatMap(PolicyShown.linesOf) }
  }, Answer.print)
).pipe(help("Show which policies hold, all that they restrict, and how much of each cap is used"))

export const policy = Command.make("policy").pipe(
  Command.withDescription("Sign what a signer may sign, and see what holds"),
  Command.withSubcommands([signing, showing])
)

/** What the word does not change, though it is taken. */
const besides = (file: string, cap: Cap, amount: Amount): string => {
  const { approveAbove, decimals, maxTransfer, symbol } = cap
  const written = (most: Amount) => `${format(most, decimals)} ${symbol}`
  if (amount > maxTransfer) return ` ${file} refuses more than ${written(maxTransfer)} at once all the same.`
  if (approveAbove !== undefined && amount > approveAbove) return ""
  return ` It changes nothing: ${file} lets up to ${written(approveAbove ?? maxTransfer)} through without a word.`
}

export const approve = Command.make(
  "approve",
  {
    asset: Argument.String("asset").pipe(Argument.withDescription("A symbol of the policy")),
    amount: Argument.String("amount").pipe(Argument.withDescription("The most that the one payment may be")),
    policy: FileName.flag("policy").pipe(Flag.withDescription("The policy that the signer obeys (YAML)")),
    key,
    socket: Flag.String("socket").pipe(Flag.withDescription("The Unix socket of the signer")),
    within: flags.duration("within", "How long the word waits for its payment, at most 7d; default: 1h")
  },
  Effect.fn(function* ({ amount: written, asset: symbol, key, policy: file, socket, within }) {
    const fileSystem = yield* FileSystem.FileSystem
    const text = yield* fileSystem.readFileString(file)
    const { account, policy } = yield* Effect.fromResult(PolicyFile.parse(text, file))
    const [asset, cap] = [...policy.caps].find(([, each]) => each.symbol === symbol) ?? []
    const decimal = Decimal.parse(written)
    const amount = decimal && cap && fromDecimal(decimal, cap.decimals)
    if (asset === undefined || cap === undefined)
      return yield* new WrongUsage({ message: `${file} names no asset ${symbol}` })
    if (amount === undefined || amount <= 0n)
      return yield* new WrongUsage({
        message: `${written} is not an amount of ${symbol}, which has ${cap.decimals} decimals`
      })
    const validUntil = (yield* Clock.currentTimeMillis) + Option.getOrElse(within, () => hourMillis)
    const nonce = Buffer.from(randomBytesUnsafe(16)).toString("hex")
    const approval = { account, asset, amount: String(amount), validUntil, nonce }
    const secret = yield* KeyFile.read(key)
    const signature = yield* Effect.provide(PolicySeal.sealApproval(approval), Signer.layer(secret))
    yield* RemoteSigner.approve(socket, { ...approval, signature })
    const approved = `One payment of at most ${written} ${symbol} is approved until ${iso(validUntil)}.`
    yield* Console.log(`${approved}${besides(file, cap, amount)}`)
  })
).pipe(help("Approve one payment that is larger than the policy lets the signer sign alone"))
