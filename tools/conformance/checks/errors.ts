/** Sections 5, 7.1 and 7.2: who may do what, and how each refusal is written. */
import { type Check, check } from "../Check.ts"
import { filled, text, time } from "../Fields.ts"
import { isRefused, mayBeRefused, mustBeRefused } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { at, cannotShow, same, that, usual } from "../Seen.ts"
import type { Answer, As, World } from "../World.ts"

interface Wrong {
  readonly endpoint: string
  readonly status: number
  readonly code: string
  /** Left out: it cannot be brought about from outside. */
  readonly bring?: (world: World) => Promise<Answer>
  /** What brings it about is our guess, because the interface does not say it: another answer breaks nothing. */
  readonly isGuess?: true
}

const nowhere = "/v0/orders/00000000-0000-4000-8000-000000000000"
const overloaded = (endpoint: string): ReadonlyArray<Wrong> => [
  { endpoint, status: 429, code: "rate-limit-exceeded" },
  { endpoint, status: 500, code: "internal-error" },
  { endpoint, status: 503, code: "service-unavailable" }
]
const post = async (world: World, changes: object = {}, data: object = {}): Promise<Answer> =>
  world.post("/v0/orders", await Scenes.orderBody(world, { ...changes }, { ...data }))

const table: ReadonlyArray<Wrong> = [
  {
    endpoint: "create",
    status: 400,
    code: "malformed-request",
    isGuess: true,
    bring: (world) => world.post("/v0/orders", "{not json")
  },
  { endpoint: "create", status: 400, code: "validation-failed", bring: (world) => post(world, { price: "-1" }) },
  {
    endpoint: "create",
    status: 400,
    code: "request-rejected",
    isGuess: true,
    bring: (world) => post(world, { recipient: world.facts.login.verifier })
  },
  {
    endpoint: "create",
    status: 400,
    code: "order-rejected",
    isGuess: true,
    bring: (world) => post(world, { quantity: "1" })
  },
  {
    endpoint: "create",
    status: 401,
    code: "authentication-required",
    bring: async (world) => world.post("/v0/orders", await Scenes.orderBody(world), "nobody")
  },
  { endpoint: "create", status: 403, code: "client-generated-id", bring: (world) => post(world, {}, { id: "mine" }) },
  {
    endpoint: "create",
    status: 409,
    code: "resource-type-mismatch",
    bring: (world) => post(world, {}, { type: "order" })
  },
  ...overloaded("create"),
  {
    endpoint: "list",
    status: 400,
    code: "validation-failed",
    isGuess: true,
    bring: (world) => world.get("/v0/orders?page[size]=0")
  },
  {
    endpoint: "list",
    status: 401,
    code: "authentication-required",
    bring: (world) => world.get("/v0/orders", "nobody")
  },
  ...overloaded("list"),
  {
    endpoint: "cancel",
    status: 400,
    code: "order-rejected",
    isGuess: true,
    bring: async (world) => {
      const id = Scenes.idOf(await Scenes.cancelled(world))
      await world.until(
        "the end of a cancelled order",
        () => Scenes.readOrder(world, id),
        ({ body }) => at(body, "data.attributes.fillStatus") === "CANCELED"
      )
      return world.request("POST", `/v0/orders/${id}/cancel`)
    }
  },
  {
    endpoint: "cancel",
    status: 401,
    code: "authentication-required",
    bring: (world) => world.request("POST", `${nowhere}/cancel`, { as: "nobody" })
  },
  {
    endpoint: "cancel",
    status: 404,
    code: "order-not-found",
    bring: (world) => world.request("POST", `${nowhere}/cancel`)
  },
  ...overloaded("cancel"),
  { endpoint: "get", status: 401, code: "authentication-required", bring: (world) => world.get(nowhere, "nobody") },
  { endpoint: "get", status: 404, code: "order-not-found", bring: (world) => world.get(nowhere) },
  ...overloaded("get")
]

/** Of an empty body nothing more can be said. */
const isJson = (answer: Answer): undefined => {
  that(answer.text === "" || answer.body !== undefined, "the body is not JSON")
  return undefined
}

const entry = (answer: Answer, path: string) => at(answer.body, `errors.0.${path}`)

const rowChecks = ({ bring, code, endpoint, isGuess, status }: Wrong): ReadonlyArray<Check> => {
  const id = `7.1.${endpoint}.${status}.${code}`
  const sentence = `${endpoint} order answers ${status} ${code}`
  if (bring === undefined) {
    return [check(id, sentence, async () => cannotShow("it cannot be brought about from outside"))]
  }
  const brought = async (world: World): Promise<Answer> => {
    const answer = await world.once(id, () => bring(world))
    if (isGuess) usual(isRefused(answer), `it is answered ${answer.status}`)
    return answer
  }
  const part = (name: string, says: string, look: (answer: Answer) => void): Check =>
    check(`${id}.${name}`, `${sentence}: ${says}`, async (world) => {
      look(await brought(world))
      return undefined
    })
  return [
    check(id, sentence, async (world) => {
      const answer = await brought(world)
      same(answer.status, status, "status")
      const found = entry(answer, "code")
      if (isGuess) usual(found === code, `the code is ${JSON.stringify(found)}`)
      else same(found, code, "code")
      return undefined
    }),
    part("status", "`status` is the HTTP status as text", (answer) =>
      same(entry(answer, "status"), String(answer.status), "status")
    ),
    part("title", "it has a title", (answer) => that(filled(entry(answer, "title")) === undefined, "there is none")),
    part("correlationId", "`meta.correlationId` traces it", (answer) =>
      that(filled(at(answer.body, "meta.correlationId")) === undefined, "there is none")
    ),
    part("timestamp", "`meta.timestamp` is a date-time", (answer) =>
      that(time(at(answer.body, "meta.timestamp")) === undefined, "it is none")
    )
  ]
}

/** `must`: the interface gives the values that there are. `may`: it leaves room for others. */
const wrongAttributes: ReadonlyArray<readonly [name: string, value: unknown, refused: "must" | "may"]> = [
  ["orderType", "MARKET", "may"],
  ["baseAsset", 5, "must"],
  ["quoteAsset", 5, "must"],
  ["quantity", "1.5", "must"],
  ["quantity", "-1", "must"],
  ["price", "-1", "must"],
  ["price", "0", "must"],
  ["price", "abc", "must"],
  ["price", 5, "must"],
  ["refundTo", 5, "may"],
  ["recipient", 5, "may"],
  ["deadline", "tomorrow", "may"],
  ["depositMode", "OTHER", "may"],
  ["timeInForce", "IOC", "may"],
  ["appFees", [{ recipient: "alice" }], "must"],
  ["appFees", [{ fee: 5 }], "must"],
  ["side", "HOLD", "must"],
  ["depositType", "CASH", "must"],
  ["recipientType", "CASH", "must"],
  ["refundType", "CASH", "must"],
  ["confidentiality", "public", "must"]
]

const needed = ["orderType", "baseAsset", "quoteAsset", "quantity", "price", "refundTo", "recipient"]
/** Those whose code the interface gives. */
const validated = ["price", "confidentiality"]

const pointing: ReadonlyArray<Check> = [
  ...wrongAttributes.map(([name, value, refused], index) =>
    check(
      `7.1.pointer.${name}.${index}`,
      `\`${name}\` = ${JSON.stringify(value)} is refused, with the pointer at it`,
      async (world) => {
        const answer = await post(world, { [name]: value })
        if (refused === "must") mustBeRefused(answer)
        else mayBeRefused(answer)
        same(answer.status, 400, "status")
        if (validated.includes(name)) same(entry(answer, "code"), "validation-failed", "code")
        const pointer = entry(answer, "source.pointer")
        if (name !== "price") usual(pointer !== undefined, "there is no pointer")
        that(String(pointer).startsWith(`/data/attributes/${name}`), `the pointer is ${pointer}`)
        return String(pointer)
      }
    )
  ),
  ...needed.map((name) =>
    check(`7.1.required.${name}`, `An order without \`${name}\` is refused`, async (world) => {
      const answer = await post(world, { [name]: undefined })
      same(answer.status, 400, "status")
      that(filled(entry(answer, "code")) === undefined, "there is no code")
      return String(entry(answer, "code"))
    })
  ),
  check("7.1.detail", "`detail` says in words what is wrong", async (world) => {
    const answer = await post(world, { price: "abc" })
    const detail = entry(answer, "detail")
    usual(detail !== undefined, "there is none")
    that(text(detail) === undefined, "it is no text")
    return String(detail)
  })
]

const endpoints: ReadonlyArray<readonly [method: "GET" | "POST", path: string, needs: As]> = [
  ["POST", "/v0/orders", "partner key"],
  ["GET", "/v0/orders", "partner key"],
  ["GET", nowhere, "partner key"],
  ["POST", `${nowhere}/cancel`, "partner key"],
  ["POST", "/v0/deposit/submit", "partner key"],
  ["GET", "/v0/status?depositAddress=d", "partner key"],
  ["POST", "/v0/submit-intent", "partner key"],
  ["POST", "/v0/generate-intent", "partner key"],
  ["GET", "/v0/account/balances", "user"],
  ["GET", "/v0/account/history", "user"],
  ["GET", "/api/v0/transactions", "partner token"],
  ["GET", "/api/v0/transactions-pages", "partner token"]
]

const bad: ReadonlyArray<readonly [name: string, as: As]> = [
  ["none", "nobody"],
  ["a wrong key", { "x-api-key": "wrong" }],
  ["a wrong token", { authorization: "Bearer wrong" }]
]

/** Only of the history it is written that a wrong credential is answered as none is. */
const refusedCredential = (answer: Answer, isAsNone: boolean): void => {
  if (isAsNone) same(answer.status, 401, "status")
  mustBeRefused(answer)
  usual(answer.status === 401, `a wrong credential is answered ${answer.status}`)
}

const credentials = endpoints.flatMap(([method, path, needs]): ReadonlyArray<Check> => {
  const name = `${method} ${path.split("?")[0]?.replace(nowhere, "/v0/orders/{orderId}")}`
  const isHistory = path.startsWith("/api/")
  return [
    ...bad.flatMap(([what, as]): ReadonlyArray<Check> => {
      const answerOf = (world: World) =>
        world.once(`401 ${name} ${what}`, () =>
          world.request(method, path, { as, ...(method === "POST" ? { body: {} } : {}) })
        )
      return [
        check(`5.401.${name}.${what}`, `${name} with ${what} for a credential is answered 401`, async (world) => {
          refusedCredential(await answerOf(world), isHistory || as === "nobody")
          return undefined
        }),
        check(
          `5.401.${name}.${what}.body`,
          `${name}: the answer to ${what} has a body as the interface has it`,
          async (world) => {
            const answer = await answerOf(world)
            if (!path.startsWith("/v0/orders")) return isJson(answer)
            that(Array.isArray(at(answer.body, "errors")), answer.text.slice(0, 120))
            if (as === "nobody") same(entry(answer, "code"), "authentication-required", "code")
            return undefined
          }
        )
      ]
    }),
    check(`5.taken.${name}`, `${name} takes its credential`, async (world) => {
      const answer = isHistory
        ? await world.history(`${path}?numberOfTransactions=1`.replace("pages?numberOfTransactions", "pages?perPage"))
        : await world.request(method, path, { as: needs, ...(method === "POST" ? { body: {} } : {}) })
      if (needs === "user") usual(answer.status !== 403, "the account is not invited")
      that(answer.status !== 401 && answer.status !== 403, `it is answered ${answer.status}`)
      return `${answer.status}`
    })
  ]
})

const unknownRoutes = ["/v0/no-such-thing", "/v0/orders/a/b/c", "/api/v0/no-such-thing"]

export const errorChecks: ReadonlyArray<Check> = [
  ...table.flatMap(rowChecks),
  ...pointing,
  ...credentials,
  ...unknownRoutes.map((path) =>
    check(`9.json.${path}`, `All bodies are JSON, also of ${path}`, async (world) => {
      const answer = await world.get(path)
      that(answer.status >= 400, `it is answered ${answer.status}`)
      return isJson(answer)
    })
  ),
  check("2.1.json.type", "All bodies are JSON, also of a refused content type", async (world) => {
    const answer = await world.request("POST", "/v0/orders", { body: "text", type: "text/plain" })
    usual(answer.status >= 400, `it is answered ${answer.status}`)
    return isJson(answer)
  }),
  check("5.quote.token", "A quote takes the partner's token", async (world) => {
    that((await Scenes.dryQuote(world)).status < 300, "it does not")
    return undefined
  }),
  check("5.quote.wrong", "A quote with a wrong token is refused", async (world) => {
    const answer = await world.post("/v0/quote", await Scenes.quoteFields(world), { authorization: "Bearer wrong" })
    usual(isRefused(answer), "it is quoted as for somebody without a credential")
    refusedCredential(answer, false)
    return undefined
  })
]
