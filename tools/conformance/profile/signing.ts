/** What is signed for deposits of each kind: which verifier executes it, and by which name it knows the token. */
import { type SignedDeposit, signedDeposits } from "../../../src/signing/Domains.ts"
import { isRefused, mustBeRefused, mustSayWhy } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, isRecord, same, that } from "../Seen.ts"
import { nonceOf, type Payload, signed } from "../signing.ts"
import type { Answer, World } from "../World.ts"
import type { FactRow } from "./FactRow.ts"

interface Transfer {
  readonly order: Answer
  readonly payload: Payload
}

const answeredOrNot = (answer: Answer, what: string): Answer =>
  answer.status < 300 ? answer : cannotShow(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`)

/** An order that is paid by a deposit of this kind, and what the service gives to sign for it. */
const transferOf = (world: World, depositType: SignedDeposit): Promise<Transfer> =>
  world.once(`transfer of ${depositType}`, async () => {
    const kinds = { depositType, refundType: depositType, recipientType: depositType }
    const order = answeredOrNot(await Scenes.createOrder(world, kinds), `no order of ${depositType}`)
    const asked = {
      type: "swap_transfer",
      standard: "nep413",
      signerId: world.account().signerId,
      depositAddress: at(order.body, "data.attributes.depositAddress")
    }
    const answer = answeredOrNot(await world.post("/v0/generate-intent", asked), "no intent to sign")
    return { order, payload: at(answer.body, "intent.payload") as Payload }
  })

const tokensIn = ({ payload }: Transfer): Readonly<Record<string, unknown>> => {
  const tokens = at(JSON.parse(payload.message), "intents.0.tokens")
  return isRecord(tokens) ? tokens : {}
}

/** The name of an asset of the service at the verifier of deposits of this kind. */
const tokenOf = ({ facts }: World, depositType: SignedDeposit, asset: string): string => {
  const { treasury } = facts.signing[depositType]
  return treasury === undefined ? asset : `imt:${treasury}:${asset}`
}

const changed = async (world: World, depositType: SignedDeposit, change: { contract?: string; token?: string }) => {
  const transfer = await transferOf(world, depositType)
  const [name = "", amount] = Object.entries(tokensIn(transfer))[0] ?? []
  const message: unknown = JSON.parse(transfer.payload.message)
  const intent = { ...Object(at(message, "intents.0")), tokens: { [change.token ?? name]: amount } }
  const { contract } = change
  const now = world.serviceNow()
  // The nonce is as that contract wants it, so that it is refused for nothing else.
  const nonce = async (verifier: string) =>
    world.facts.login.nonce === "free"
      ? transfer.payload.nonce
      : nonceOf({ salt: await world.salt(verifier), startsAt: now, endsAt: now + 600_000 })
  const payload = {
    ...transfer.payload,
    ...(contract === undefined ? {} : { nonce: await nonce(contract), recipient: contract }),
    message: JSON.stringify({ ...Object(message), intents: [intent] })
  }
  const signedData = signed(world.account(), payload)
  return { transfer, answer: await world.post("/v0/submit-intent", { type: "swap_transfer", signedData }) }
}

const deposited = async (world: World, { order }: Transfer): Promise<unknown> =>
  at((await Scenes.readOrder(world, Scenes.idOf(order))).body, "data.attributes.depositedAmount")

const rowsOf = (depositType: SignedDeposit, other: SignedDeposit): ReadonlyArray<FactRow> => {
  const verifier = `signing.${depositType}.verifier` as const
  const treasury = `signing.${depositType}.treasury` as const
  const base = async (world: World) => (await world.assets()).base.id
  return [
    {
      fact: verifier,
      name: "named",
      sentence: `A transfer for ${depositType} is for this contract`,
      look: async (world) => {
        const { payload } = await transferOf(world, depositType)
        same(payload.recipient, world.facts.signing[depositType].verifier, "recipient")
        return payload.recipient
      }
    },
    {
      fact: treasury,
      name: "named",
      sentence: `A transfer for ${depositType} names its token as the verifier does`,
      look: async (world) => {
        const names = Object.keys(tokensIn(await transferOf(world, depositType)))
        same(names, [tokenOf(world, depositType, await base(world))], "tokens")
        return names.join(", ")
      }
    },
    {
      fact: treasury,
      name: "amount",
      sentence: `A transfer for ${depositType} moves all that the order lacks, to its deposit address`,
      look: async (world) => {
        const transfer = await transferOf(world, depositType)
        const { body } = transfer.order
        const message: unknown = JSON.parse(transfer.payload.message)
        same(at(message, "intents.0.receiver_id"), at(body, "data.attributes.depositAddress"), "receiver_id")
        same(Object.values(tokensIn(transfer)), [at(body, "data.attributes.swapView.amountIn")], "amount")
        return undefined
      }
    },
    {
      fact: verifier,
      name: "other",
      sentence: `A transfer for ${depositType} that is signed for the contract of ${other} is refused`,
      applies: ({ signing }) => signing[depositType].verifier !== signing[other].verifier,
      look: async (world) => {
        await world.needMoney()
        const { answer } = await changed(world, depositType, { contract: world.facts.signing[other].verifier })
        mustBeRefused(answer)
        return mustSayWhy(answer)
      }
    },
    {
      fact: treasury,
      name: "other",
      sentence: `A transfer for ${depositType} with the token's name of ${other} is refused`,
      applies: ({ signing }) => signing[depositType].treasury !== signing[other].treasury,
      look: async (world) => {
        await world.needMoney()
        const token = tokenOf(world, other, await base(world))
        const { answer } = await changed(world, depositType, { token })
        mustBeRefused(answer)
        return mustSayWhy(answer)
      }
    },
    {
      fact: verifier,
      name: "elsewhere",
      sentence: `What is paid on the ledger of ${other} is no deposit of an order of ${depositType}`,
      applies: ({ signing }) => signing[depositType].verifier !== signing[other].verifier,
      look: async (world) => {
        await world.needMoney()
        const contract = world.facts.signing[other].verifier
        const { answer, transfer } = await changed(world, depositType, {
          contract,
          token: tokenOf(world, other, await base(world))
        })
        if (isRefused(answer)) return mustSayWhy(answer)
        await world.options.sleep(2000)
        same(await deposited(world, transfer), "0", "depositedAmount")
        return "it is taken, and the order does not have it"
      }
    },
    {
      fact: verifier,
      name: "pays",
      sentence: `A transfer for ${depositType} that is signed as it was given funds the order`,
      look: async (world) => {
        await world.needMoney()
        const { order } = await transferOf(world, depositType)
        const paid = await Scenes.pay(world, String(at(order.body, "data.attributes.depositAddress")))
        const said = paid.answer.text.slice(0, 200)
        if (/insufficient/i.test(said)) return cannotShow(`the account has no money of ${depositType}: ${said}`)
        that(paid.answer.status < 300, `it is answered ${paid.answer.status} ${said}`)
        const { body } = await world.until(
          "the deposit of an order",
          () => Scenes.readOrder(world, Scenes.idOf(order)),
          (seen) => at(seen.body, "data.attributes.depositedAmount") !== "0"
        )
        same(
          at(body, "data.attributes.depositedAmount"),
          at(body, "data.attributes.swapView.amountIn"),
          "depositedAmount"
        )
        return undefined
      }
    }
  ]
}

const [one, two] = signedDeposits

export const signingRows: ReadonlyArray<FactRow> = [
  ...rowsOf(one, two),
  ...rowsOf(two, one),
  {
    fact: "signing.CONFIDENTIAL_INTENTS.treasury",
    name: "balances",
    sentence: "Private balances come under the public ids of their assets",
    look: async (world) => {
      const answer = await world.get("/v0/account/balances", "user")
      if (answer.status === 403) return cannotShow("the account is not invited")
      same(answer.status, 200, "status")
      const rows = at(answer.body, "balances")
      const ids = (Array.isArray(rows) ? rows : []).map((row) => String(at(row, "tokenId")))
      if (ids.length === 0) return cannotShow("the account has no private balance")
      that(!ids.some((id) => id.startsWith("imt:")), `${ids.find((id) => id.startsWith("imt:"))} is one`)
      return ids.join(", ")
    }
  }
]
