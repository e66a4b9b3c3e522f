/** Sections 4.4, 4.6 to 4.8 and 2.6: signed intents, sessions of end users, balances and the account's history. */
import { type Check, check } from "../Check.ts"
import {
  amount,
  depositTypes,
  filled,
  number,
  oneOf,
  orNull,
  type Row,
  recipientTypes,
  rows,
  text,
  time
} from "../Fields.ts"
import { isRefused, mayBeRefused, mustBeRefused, mustSayWhy } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, isRecord, same, that, usual } from "../Seen.ts"
import { hashOf, type Payload, signed } from "../signing.ts"
import type { Answer, LoginChanges, World } from "../World.ts"

const generated = (world: World) =>
  world.once("generated", async () => {
    const { body } = await Scenes.order(world)
    const answer = await world.post("/v0/generate-intent", {
      type: "swap_transfer",
      standard: "nep413",
      signerId: world.account().signerId,
      depositAddress: at(body, "data.attributes.depositAddress")
    })
    return answer.status < 300 ? answer : cannotShow(`no intent to sign: ${answer.status} ${answer.text.slice(0, 120)}`)
  })

const payloadOf = async (world: World) => at((await generated(world)).body, "intent.payload") as Payload

const submit = async (
  world: World,
  change: (payload: Payload) => Payload = (payload) => payload,
  body: object = {}
) => {
  const signedData = signed(world.account(), change(await payloadOf(world)))
  return world.post("/v0/submit-intent", { type: "swap_transfer", signedData: { ...signedData, ...body } })
}

const refused = (answer: Answer): string => {
  mustBeRefused(answer)
  return mustSayWhy(answer)
}

/** Who takes it would be paid by it. */
const refusedUnlessOpen = async (world: World, ask: () => Promise<Answer>): Promise<string> => {
  await world.needMoney()
  const answer = await ask()
  mayBeRefused(answer)
  return mustSayWhy(answer)
}

const messageOf = (payload: Payload, change: object): Payload => ({
  ...payload,
  message: JSON.stringify({ ...JSON.parse(payload.message), ...change })
})

const faults: ReadonlyArray<readonly [name: string, (payload: Payload) => Payload]> = [
  ["a deadline that has passed", (payload) => messageOf(payload, { deadline: "2020-01-01T00:00:00.000Z" })],
  ["another signer", (payload) => messageOf(payload, { signer_id: "0".repeat(64) })],
  ["another recipient", (payload) => ({ ...payload, recipient: "somebody.else" })],
  ["a nonce that is not 32 bytes", (payload) => ({ ...payload, nonce: "AAAA" })],
  ["a message that is not JSON", (payload) => ({ ...payload, message: "hello" })],
  ["no intent in it", (payload) => messageOf(payload, { intents: [] })]
]

const withoutField = (name: string) =>
  check(`4.4.required.${name}`, `submit-intent without \`${name}\` is refused with {message}`, async (world) => {
    const signedData = signed(world.account(), await payloadOf(world))
    const whole: unknown = JSON.parse(JSON.stringify({ type: "swap_transfer", signedData }))
    const path = name.split(".")
    const last = path.pop() ?? ""
    const inner = path.reduce<unknown>((value, key) => at(value, key), whole)
    if (isRecord(inner)) delete inner[last]
    const ask = () => world.post("/v0/submit-intent", whole)
    return name === "type" ? refusedUnlessOpen(world, ask) : refused(await ask())
  })

const intents: ReadonlyArray<Check> = [
  check("4.4.generate", "An intent to sign is generated for an order's deposit address", async (world) => {
    same(at((await generated(world)).body, "intent.standard"), "nep413", "standard")
    return undefined
  }),
  ...["message", "nonce", "recipient"].map((name) =>
    check(`4.4.payload.${name}`, `The payload holds \`${name}\``, async (world) => {
      that(filled(Reflect.get(await payloadOf(world), name)) === undefined, "it does not")
      return undefined
    })
  ),
  check("4.4.payload.nonce.32", "The nonce is 32 bytes in base64", async (world) => {
    same(Buffer.from((await payloadOf(world)).nonce, "base64").length, 32, "bytes")
    return undefined
  }),
  check("4.4.payload.one", "It moves exactly what the order lacks to its deposit address", async (world) => {
    const message: unknown = JSON.parse((await payloadOf(world)).message)
    const { body } = await Scenes.order(world)
    usual(at(message, "intents.1") === undefined, "there is a second intent")
    same(at(message, "intents.0.receiver_id"), at(body, "data.attributes.depositAddress"), "receiver_id")
    const asset = String(at(body, "data.attributes.swapView.originAsset"))
    const tokens = at(message, "intents.0.tokens")
    same(isRecord(tokens) ? tokens[asset] : undefined, at(body, "data.attributes.swapView.amountIn"), "amount")
    return undefined
  }),
  ...[
    "type",
    "signedData",
    "signedData.payload",
    "signedData.payload.message",
    "signedData.payload.nonce",
    "signedData.payload.recipient",
    "signedData.public_key",
    "signedData.signature"
  ].map(withoutField),
  ...faults.map(([name, change]) =>
    check(`4.4.fault.${name}`, `A signed intent with ${name} is refused`, async (world) =>
      refused(await submit(world, change))
    )
  ),
  check("4.4.forged", "The service validates the signature", async (world) => {
    const other = signed(world.account(), { ...(await payloadOf(world)), message: "{}" }).signature
    return refused(await submit(world, undefined, { signature: other }))
  }),
  ...["erc191", "tip191", "raw_ed25519", "webauthn", "ton_connect", "sep53", "unheard-of"].map((standard) =>
    check(
      `4.4.standard.${standard}`,
      `A payload that is not of ${standard} is refused in words under that name`,
      async (world) => refusedUnlessOpen(world, () => submit(world, undefined, { standard }))
    )
  ),
  check("4.4.acknowledged", "A good one is acknowledged with its hash and a correlation id", async (world) => {
    const { paid } = await Scenes.filledOrder(world)
    same(at(paid.answer.body, "intentHash"), hashOf(paid.payload), "intentHash")
    that(filled(at(paid.answer.body, "correlationId")) === undefined, "there is no correlationId")
    return undefined
  }),
  check("4.4.once", "The same signed intent never pays twice", async (world) => {
    const { first, paid } = await Scenes.filledOrder(world)
    const again = await world.post("/v0/submit-intent", { type: "swap_transfer", signedData: paid.signedData })
    that(again.status < 300 || isRefused(again), `it is answered ${again.status}`)
    const { body } = await Scenes.readOrder(world, Scenes.idOf(first))
    same(at(body, "data.attributes.depositedAmount"), at(body, "data.attributes.swapView.amountIn"), "depositedAmount")
    return undefined
  })
]

const refresh = (world: World) =>
  world.once("refresh", async () => {
    const refreshToken = at((await world.session()).body, "refreshToken")
    return world.post("/v0/auth/refresh", { refreshToken }, "nobody")
  })

const sessionRows: ReadonlyArray<Row> = [
  ["accessToken", "required", filled],
  ["refreshToken", "required", filled],
  ["expiresIn", "required", number],
  ["refreshExpiresIn", "required", number]
]
const refreshRows: ReadonlyArray<Row> = sessionRows.filter(([name]) => name === "accessToken" || name === "expiresIn")

const logins: ReadonlyArray<readonly [name: string, LoginChanges]> = [
  ["another recipient than the intents contract", { recipient: "somebody.else" }],
  ["a deadline that has passed", { deadline: "2020-01-01T00:00:00.000Z" }],
  ["a nonce that is not 32 bytes", { nonce: "AAAA" }],
  ["a message that is not JSON", { message: "hello" }]
]

const sessions: ReadonlyArray<Check> = [
  ...rows("4.6.response", "Session", sessionRows, async (world) => [(await world.session()).body]),
  ...logins.map(([name, changes]) =>
    check(`4.6.refused.${name}`, `A login message with ${name} is refused`, async (world) =>
      mustBeRefused(await world.authenticate(changes))
    )
  ),
  check("4.6.refused.intents in it", "A login message with intents in it is refused", async (world) =>
    mayBeRefused(await world.authenticate({ intents: [{ intent: "transfer", receiver_id: "a", tokens: { a: "1" } }] }))
  ),
  check("4.6.nonce", "A login needs a fresh nonce", async (world) => {
    const signedData = await world.login()
    await world.post("/v0/auth/authenticate", { signedData }, "nobody")
    return mayBeRefused(await world.post("/v0/auth/authenticate", { signedData }, "nobody"))
  }),
  ...["public_key", "signature"].map((name) =>
    check(`4.6.prefix.${name}`, `\`${name}\` is prefixed ed25519:`, async (world) => {
      const signedData = await world.login()
      const bare = { ...signedData, [name]: String(Reflect.get(signedData, name)).replace("ed25519:", "") }
      return mayBeRefused(await world.post("/v0/auth/authenticate", { signedData: bare }, "nobody"))
    })
  ),
  check("4.6.forged", "Another's signature is refused", async (world) => {
    const signedData = { ...(await world.login()), signature: (await world.login()).signature }
    return mustBeRefused(await world.post("/v0/auth/authenticate", { signedData }, "nobody"))
  }),
  ...rows("4.7.response", "Renewed session", refreshRows, async (world) => [(await refresh(world)).body]),
  check("4.7.keeps", "The refresh token does not rotate: it is good again", async (world) => {
    await refresh(world)
    const refreshToken = at((await world.session()).body, "refreshToken")
    that((await world.post("/v0/auth/refresh", { refreshToken }, "nobody")).status < 300, "it is refused")
    return undefined
  }),
  check("4.7.good", "The renewed token opens the account", async (world) => {
    const token = at((await refresh(world)).body, "accessToken")
    const { status } = await world.get("/v0/account/balances", { authorization: `Bearer ${token}` })
    usual(status !== 403, "the account is not invited")
    same(status, 200, "status")
    return undefined
  }),
  check("4.7.refused", "A refresh token that is none is refused", async (world) =>
    mustBeRefused(await world.post("/v0/auth/refresh", { refreshToken: "none" }, "nobody"))
  ),
  check("5.separate", "The user's token does not open the partner's history", async (world) => {
    const token = at((await world.session()).body, "accessToken")
    const answer = await world.get("/api/v0/transactions?numberOfTransactions=1", { authorization: `Bearer ${token}` })
    same(answer.status, 401, "status")
    return undefined
  })
]

const balances = async (world: World): Promise<ReadonlyArray<unknown>> => {
  const answer = await world.once("balances", () => world.get("/v0/account/balances", "user"))
  if (answer.status === 403) return cannotShow("the account is not invited")
  same(answer.status, 200, "status")
  const found = at(answer.body, "balances")
  that(Array.isArray(found), "`balances` is no array")
  return Array.isArray(found) ? found : []
}

const accountHistory = (world: World, query = "") =>
  world.once(`account history ${query}`, async () => {
    await Scenes.past(world)
    const answer = await world.get(`/v0/account/history${query}`, "user")
    if (answer.status === 403 || answer.status === 400) return cannotShow(`it is not for everybody: ${answer.text}`)
    that(answer.status === 200, `it is answered ${answer.status}`)
    return answer
  })

const itemRows: ReadonlyArray<Row> = [
  ["status", "required", oneOf("SUCCESS", "FAILED", "INCOMPLETE_DEPOSIT", "PENDING_DEPOSIT", "PROCESSING", "REFUNDED")],
  ["depositType", "required", oneOf(...depositTypes)],
  ["recipientType", "required", oneOf(...recipientTypes)],
  ["refundType", "required", oneOf(...depositTypes)],
  ["createdAt", "required", time],
  ["depositAddress", "required", filled],
  ["depositMemo", "required", orNull(text)]
]

const accounts: ReadonlyArray<Check> = [
  ...rows(
    "2.6.balance",
    "Balance entry",
    [
      ["tokenId", "required", filled],
      ["available", "required", amount],
      ["source", "required", filled]
    ],
    balances
  ),
  check("4.8.frame", "Balances are {balances: […]}", async (world) => `${(await balances(world)).length} entries`),
  ...rows("4.8.history", "Item of the account's history", itemRows, async (world) => {
    const items = at((await accountHistory(world)).body, "items")
    return Array.isArray(items) ? items : []
  }),
  check("4.8.history.limit", "The account's history holds no more than was asked for", async (world) => {
    const items = at((await accountHistory(world, "?limit=1")).body, "items")
    that(Array.isArray(items) && items.length <= 1, "it does")
    return undefined
  }),
  check("4.8.history.both", "prevCursor and nextCursor exclude each other", async (world) => {
    return mayBeRefused(await world.get("/v0/account/history?prevCursor=a&nextCursor=b", "user"))
  })
]

export const intentChecks: ReadonlyArray<Check> = intents
export const accountChecks: ReadonlyArray<Check> = [...sessions, ...accounts]
