/**
 * Lies about prices, tokens and lists. A price that is wrong moves nothing but what is wanted: every order still has the
 * limit of its strategy. A list that leaves out, repeats or loops proves nothing.
 */
import {
  type About,
  type Attack,
  isObject,
  type Json,
  perhaps,
  quiet,
  set,
  type Tell,
  type Verdict
} from "../Attack.ts"
import { attacked } from "../Middle.ts"

const price = (field: string, lie: string, tell: Tell, must: Verdict = quiet): Attack => ({
  call: "price",
  field,
  lie,
  tell,
  must,
  everywhere: true
})

const quoteOf = (said: Json): Json => (isObject(said["quote"]) ? said["quote"] : {})
/** Both spellings of an amount, or only one of them. */
const scaled =
  (side: "amountIn" | "amountOut", factor: number, formatted = true): Tell =>
  (said) => {
    const quote = quoteOf(said)
    const amount = BigInt(String(quote[side]))
    quote[side] = String(factor >= 1 ? amount * BigInt(factor) : amount / BigInt(Math.round(1 / factor)))
    if (formatted) quote[`${side}Formatted`] = trimmed(Number(quote[`${side}Formatted`]) * factor)
  }
const trimmed = (value: number): string => value.toFixed(18).replace(/\.?0+$/, "")
const put =
  (field: string, value: unknown): Tell =>
  (said) => {
    quoteOf(said)[field] = value
  }
const wrongDecimals: Verdict = { alerts: [0, 1], ends: "WrongDecimals" }

const prices: ReadonlyArray<Attack> = [
  price("amountOut", "ten times", scaled("amountOut", 10)),
  price("amountOut", "a tenth", scaled("amountOut", 0.1)),
  price("amountOut", "a thousandth", scaled("amountOut", 0.001)),
  price("amountOut", "a thousand times", scaled("amountOut", 1_000)),
  price("amountIn", "ten times", scaled("amountIn", 10)),
  price("amountIn", "a tenth", scaled("amountIn", 0.1)),
  price("amountOut", "nothing", put("amountOut", "0"), perhaps),
  price("amountIn", "nothing", put("amountIn", "0"), perhaps),
  price("amountOut", "less than nothing", put("amountOut", "-5"), perhaps),
  price("amountOut", "a fraction", put("amountOut", "0.5"), perhaps),
  price("amountOut", "an exponent", put("amountOut", "1e30"), perhaps),
  price("amountOut", "seventy digits", put("amountOut", "9".repeat(70)), { alerts: [0, 1], ends: "WrongDecimals" }),
  price(
    "amountOutFormatted",
    "with other decimals",
    (said) => {
      const quote = quoteOf(said)
      quote["amountOutFormatted"] = trimmed(Number(quote["amountOutFormatted"]) * 100)
    },
    wrongDecimals
  ),
  price(
    "amountInFormatted",
    "with other decimals",
    (said) => {
      const quote = quoteOf(said)
      quote["amountInFormatted"] = trimmed(Number(quote["amountInFormatted"]) / 100)
    },
    wrongDecimals
  ),
  price(
    "amountOutFormatted",
    "left out",
    (said) => {
      delete quoteOf(said)["amountOutFormatted"]
    },
    perhaps
  ),
  price("amountOutUsd", "a million", put("amountOutUsd", "1000000")),
  price("quoteRequest", "of other assets", (said) => {
    if (isObject(said["quoteRequest"])) Object.assign(said["quoteRequest"], { originAsset: "a", destinationAsset: "b" })
  }),
  price("quoteRequest", "of another amount", (said) => {
    if (isObject(said["quoteRequest"])) said["quoteRequest"]["amount"] = "1"
  }),
  price("depositAddress", "one for a dry quote", put("depositAddress", "thief.near")),
  price(
    "sides",
    "both the other way round",
    (said) => {
      const quote = quoteOf(said)
      const { amountIn, amountInFormatted, amountOut, amountOutFormatted } = quote
      Object.assign(quote, {
        amountIn: amountOut,
        amountOut: amountIn,
        amountInFormatted: amountOutFormatted,
        amountOutFormatted: amountInFormatted
      })
    },
    quiet
  ),
  price("timestamp", "in the future", set("timestamp", "2036-01-01T00:00:00.000Z"), perhaps),
  price("timestamp", "long ago", set("timestamp", "1999-01-01T00:00:00.000Z"), perhaps),
  price("refusal", "no liquidity", (said, { answer }) => {
    answer.status = 400
    said["message"] = "No liquidity available"
  }),
  price("refusal", "not found", (said, { answer }) => {
    answer.status = 404
    said["message"] = "Token not found"
  })
]

const elementsOf = (said: Json): ReadonlyArray<unknown> => (Array.isArray(said["data"]) ? said["data"] : [])
const page = (field: string, lie: string, tell: Tell, must: Verdict = quiet): Attack => ({
  call: "pages",
  field,
  lie,
  tell: (said, about) => {
    if (elementsOf(said).length > 0) tell(said, about)
  },
  must,
  everywhere: true
})
const next = (said: Json, cursor: string): void => {
  if (isObject(said["meta"])) said["meta"]["nextCursor"] = cursor
}

const pages: ReadonlyArray<Attack> = [
  page("data", "empty", set("data", [])),
  page("data", "the first alone", (said) => {
    said["data"] = elementsOf(said).slice(0, 1)
  }),
  page("data", "the newest left out", (said) => {
    said["data"] = elementsOf(said).slice(1)
  }),
  page("data", "the other way round", (said) => {
    said["data"] = elementsOf(said).toReversed()
  }),
  page("data", "everything twice", (said) => {
    said["data"] = [...elementsOf(said), ...elementsOf(said)]
  }),
  page(
    "data",
    "one id for two orders",
    (said) => {
      const [first, second] = elementsOf(said)
      if (isObject(first) && isObject(second)) second["id"] = first["id"]
    },
    { alerts: [0, 3] }
  ),
  page(
    "data",
    "every order with the next one's id",
    (said) => {
      const elements = elementsOf(said).filter(isObject)
      const ids = elements.map(({ id }) => id)
      for (const [index, element] of elements.entries()) element["id"] = ids[(index + 1) % ids.length]
    },
    { alerts: [0, 12] }
  ),
  page("data", "somebody else's order among ours", (said, { order: _, ...about }) => {
    const [first] = elementsOf(said)
    if (isObject(first)) said["data"] = [strange(first, about), ...elementsOf(said)]
  }),
  page(
    "data",
    "a twin of each order, with money in it",
    (said) => {
      const twins = elementsOf(said)
        .filter(isObject)
        .map((element) => ({ ...structuredClone(element), id: `twin-${element["id"]}` }))
      said["data"] = [...elementsOf(said), ...twins]
    },
    { alerts: [0, 12] }
  ),
  page("data", "a thousand orders of nobody", (said, about) => {
    const [first] = elementsOf(said)
    if (isObject(first))
      said["data"] = [
        ...elementsOf(said),
        ...Array.from({ length: 1_000 }, (_, n) => ({ ...strange(first, about), id: `nobody-${n}` }))
      ]
  }),
  page("nextCursor", "of the same page, for ever", (said) => next(said, "b3JkZXIgOTk5OTk")),
  page("nextCursor", "of no page", (said) => next(said, "nonsense")),
  page("nextCursor", "another one each time", (said, { told }) =>
    next(said, Buffer.from(`order ${told + 2}`).toString("base64url"))
  ),
  page("links", "to somebody else", set("links", { next: "https://evil.example/v0/orders?page[after]=x" })),
  page("links", "to itself", set("links", { next: "/v0/orders" })),
  page("timestamp", "in the future", set("meta.timestamp", "2036-01-01T00:00:00.000Z"), { alerts: [0, 2] }),
  page("timestamp", "long ago", set("meta.timestamp", "1999-01-01T00:00:00.000Z"), { alerts: [0, 2] })
]

const strange = (element: Json, { stranger }: Pick<About, "stranger">): Json => {
  const copy = structuredClone(element)
  copy["id"] = stranger.id
  if (isObject(copy["attributes"])) {
    copy["attributes"]["depositAddress"] = stranger.depositAddress
    copy["attributes"]["deadline"] = new Date(stranger.deadline).toISOString()
  }
  return copy
}

const listOf = (said: Json): ReadonlyArray<Json> => (Array.isArray(said["list"]) ? said["list"].filter(isObject) : [])
/** Tokens are only asked for where a market has no price, so that is what the venue says first. */
const token = (field: string, lie: string, change: (token: Json) => void): Attack => ({
  call: "tokens",
  field,
  lie,
  tell: (said) => {
    for (const each of listOf(said)) if (each["assetId"] === attacked) change(each)
  },
  must: quiet,
  everywhere: true
})

const tokens: ReadonlyArray<Attack> = [
  token("decimals", "others", (each) => {
    each["decimals"] = 2
  }),
  token("decimals", "a great many", (each) => {
    each["decimals"] = 255
  }),
  token("assetId", "all the same", (each) => {
    each["assetId"] = "nep141:usdc.omft.native"
  }),
  token("price", "ten times", (each) => {
    each["price"] = Number(each["price"]) * 10
  }),
  token("price", "less than nothing", (each) => {
    each["price"] = -1
  }),
  token("price", "nothing", (each) => {
    each["price"] = 0
  }),
  token("symbol", "all the same", (each) => {
    each["symbol"] = "USDC"
  }),
  {
    call: "tokens",
    field: "list",
    lie: "empty",
    tell: set("list", []),
    // Without any second source the first price of a market has to last a minute.
    must: { ...quiet, elsewhereWaits: true },
    everywhere: true
  }
]

export const marketAttacks: ReadonlyArray<Attack> = [...prices, ...pages, ...tokens]
