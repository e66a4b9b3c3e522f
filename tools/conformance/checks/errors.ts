/** Sections 5, 7.1 and 7.2: who may do what, and how each refusal is written. */
import { type Check, cannotShow, check, same, that } from "../Check.ts"
import { at, filled, isRecord, text, time } from "../Fields.ts"
import * as Scenes from "../Scenes.ts"
import type { Answer, As, World } from "../World.ts"

interface Wrong {
  readonly endpoint: string
  readonly status: number
  readonly code: string
  /** Left out: it cannot be brought about from outside. */
  readonly bring?: (world: World) => Promise<Answer>
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
    bring: (world) => world.post("/v0/orders", "{not json")
  },
  { endpoint: "create", status: 400, code: "validation-failed", bring: (world) => post(world, { price: "-1" }) },
  {
    endpoint: "create",
    status: 400,
    code: "request-rejected",
    bring: (world) => post(world, { recipient: world.verifier })
  },
  { endpoint: "create", status: 400, code: "order-rejected", bring: (world) => post(world, { quantity: "1" }) },
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
  { endpoint: "list", status: 400, code: "validation-failed", bring: (world) => world.get("/v0/orders?page[size]=0") },
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

const entry = (answer: Answer, path: string) => at(answer.body, `errors.0.${path}`)

const rowChecks = ({ bring, code, endpoint, status }: Wrong): ReadonlyArray<Check> => {
  const id = `7.1.${endpoint}.${status}.${code}`
  const sentence = `${endpoint} order answers ${status} ${code}`
  if (bring === undefined) {
    return [check(id, sentence, async () => cannotShow("it cannot be brought about from outside"))]
  }
  const brought = (world: World): Promise<Answer> => world.once(id, () => bring(world))
  const part = (name: string, says: string, look: (answer: Answer) => void): Check =>
    check(`${id}.${name}`, `${sentence}: ${says}`, async (world) => {
      look(await brought(world))
      return undefined
    })
  return [
    check(id, sentence, async (world) => {
      const answer = await brought(world)
      same(answer.status, status, "status")
      same(entry(answer, "code"), code, "code")
      return undefined
    }),
    part("status", "`status` is the HTTP status as text", (answer) =>
      same(entry(answer, "status"), String(status), "status")
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

const wrongAttributes: ReadonlyArray<readonly [name: string, value: unknown]> = [
  ["orderType", "MARKET"],
  ["baseAsset", 5],
  ["quoteAsset", 5],
  ["quantity", "1.5"],
  ["quantity", "-1"],
  ["price", "-1"],
  ["price", "0"],
  ["price", "abc"],
  ["price", 5],
  ["refundTo", 5],
  ["recipient", 5],
  ["deadline", "tomorrow"],
  ["depositMode", "OTHER"],
  ["timeInForce", "IOC"],
  ["appFees", [{ recipient: "alice" }]],
  ["appFees", [{ fee: 5 }]],
  ["side", "HOLD"],
  ["depositType", "CASH"],
  ["recipientType", "CASH"],
  ["refundType", "CASH"],
  ["confidentiality", "public"]
]

const needed = ["orderType", "baseAsset", "quoteAsset", "quantity", "price", "refundTo", "recipient"]

const pointing: ReadonlyArray<Check> = [
  ...wrongAttributes.map(([name, value], index) =>
    check(
      `7.1.pointer.${name}.${index}`,
      `\`${name}\` = ${JSON.stringify(value)} is refused: validation-failed, with the pointer at it`,
      async (world) => {
        const answer = await post(world, { [name]: value })
        same(answer.status, 400, "status")
        same(entry(answer, "code"), "validation-failed", "code")
        const pointer = String(entry(answer, "source.pointer"))
        that(pointer.startsWith(`/data/attributes/${name}`), `the pointer is ${pointer}`)
        return pointer
      }
    )
  ),
  ...needed.map((name) =>
    check(`7.1.required.${name}`, `An order without \`${name}\` is refused`, async (world) => {
      const answer = await post(world, { [name]: undefined })
      same(answer.status, 400, "status")
      same(entry(answer, "code"), "validation-failed", "code")
      return undefined
    })
  ),
  check("7.1.detail", "`detail` says in words what is wrong", async (world) => {
    const answer = await post(world, { price: "abc" })
    that(text(entry(answer, "detail")) === undefined, "there is none")
    return String(entry(answer, "detail"))
  })
]

type Body = "errors" | "message" | "error"
const endpoints: ReadonlyArray<readonly [method: "GET" | "POST", path: string, body: Body, needs: As]> = [
  ["POST", "/v0/orders", "errors", "partner key"],
  ["GET", "/v0/orders", "errors", "partner key"],
  ["GET", nowhere, "errors", "partner key"],
  ["POST", `${nowhere}/cancel`, "errors", "partner key"],
  ["POST", "/v0/deposit/submit", "message", "partner key"],
  ["GET", "/v0/status?depositAddress=d", "message", "partner key"],
  ["POST", "/v0/submit-intent", "message", "partner key"],
  ["POST", "/v0/generate-intent", "message", "partner key"],
  ["GET", "/v0/account/balances", "message", "user"],
  ["GET", "/v0/account/history", "message", "user"],
  ["GET", "/api/v0/transactions", "error", "partner token"],
  ["GET", "/api/v0/transactions-pages", "error", "partner token"]
]

const bad: ReadonlyArray<readonly [name: string, as: As]> = [
  ["none", "nobody"],
  ["a wrong key", { "x-api-key": "wrong" }],
  ["a wrong token", { authorization: "Bearer wrong" }]
]

const credentials = endpoints.flatMap(([method, path, body, needs]): ReadonlyArray<Check> => {
  const name = `${method} ${path.split("?")[0]?.replace(nowhere, "/v0/orders/{orderId}")}`
  return [
    ...bad.flatMap(([what, as]): ReadonlyArray<Check> => {
      const answerOf = (world: World) =>
        world.once(`401 ${name} ${what}`, () =>
          world.request(method, path, { as, ...(method === "POST" ? { body: {} } : {}) })
        )
      return [
        check(`5.401.${name}.${what}`, `${name} with ${what} for a credential is answered 401`, async (world) => {
          same((await answerOf(world)).status, 401, "status")
          return undefined
        }),
        check(`5.401.${name}.${what}.body`, `${name}: 401 has the body of its endpoint`, async (world) => {
          const answer = await answerOf(world)
          that(isRecord(answer.body) && body in answer.body, answer.text.slice(0, 120))
          if (body === "errors") same(entry(answer, "code"), "authentication-required", "code")
          return undefined
        })
      ]
    }),
    check(`5.taken.${name}`, `${name} takes its credential`, async (world) => {
      const isHistory = path.startsWith("/api/")
      const answer = isHistory
        ? await world.history(`${path}?numberOfTransactions=1`.replace("pages?numberOfTransactions", "pages?perPage"))
        : await world.request(method, path, { as: needs, ...(method === "POST" ? { body: {} } : {}) })
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
      that(answer.body !== undefined, "the body is not JSON")
      return undefined
    })
  ),
  check("2.1.json.type", "All bodies are JSON, also of a refused content type", async (world) => {
    const answer = await world.request("POST", "/v0/orders", { body: "text", type: "text/plain" })
    that(answer.status >= 400 && answer.body !== undefined, answer.text.slice(0, 120))
    return `${answer.status}`
  }),
  check("5.quote.token", "A quote takes the partner's token", async (world) => {
    that((await Scenes.dryQuote(world)).status < 300, "it does not")
    return undefined
  }),
  check("5.quote.wrong", "A quote with a wrong token is refused", async (world) => {
    const answer = await world.post("/v0/quote", await Scenes.quoteFields(world), { authorization: "Bearer wrong" })
    same(answer.status, 401, "status")
    return undefined
  })
]
