/**
 * The man in the middle: between the whole bot and the honest sandbox he answers as one attack says, and counts how often
 * he did. Unless an attack is about everything, he lies about one order, the first that the lie applies to, in the attacked
 * market alone; everything else he passes on.
 */
import { Effect } from "effect"
import { HttpClient, HttpClientRequest, HttpServerResponse } from "effect/http"
import type { Departure, HttpAnswer } from "../../src/rehearsal/world/Network.ts"
import type { SandboxOrder, SandboxSwap } from "../../src/sandbox/core/State.ts"
import type { Attack, Call, Json, Scene } from "./Attack.ts"
import { isObject } from "./Attack.ts"

/** The attacked market is that of this asset; the other one must not notice. */
export const attacked = "nep141:btc.omft.native"

const orderPath = /^\/v0\/orders\/([^/?]+)$/
const cancelPath = /^\/v0\/orders\/([^/]+)\/cancel$/

/** Which calls a request is; an order that is read is one of several. */
export const callsOf = ({ body, method, path }: Pick<Departure, "body" | "method" | "path">): ReadonlyArray<Call> => {
  const [bare = ""] = path.split("?")
  if (bare === "/v0/orders") return method === "POST" ? ["create"] : ["list", "reads", "pages"]
  if (cancelPath.test(bare)) return ["cancel", "reads"]
  if (orderPath.test(bare)) return ["order", "reads"]
  if (bare === "/v0/quote") return JSON.parse(body).dry === true ? ["price"] : ["quote"]
  if (bare === "/v0/generate-intent") return ["intent"]
  if (bare === "/v0/submit-intent") return ["submit"]
  if (bare === "/v0/status") return ["status"]
  if (bare === "/v0/tokens") return ["tokens"]
  if (bare === "/v0/account/balances") return ["balances"]
  return bare.startsWith("/api/v0/transactions") ? ["history"] : []
}

export type SceneNow = () => Omit<Scene, "payloads" | "told">

export const make = (attack: Attack, sceneNow: SceneNow) => {
  const { call, everywhere = false, swallows = false, tell } = attack
  const payloads: Array<Json> = []
  /** What is lied about: orders by their true id, everything else by its address. */
  const victims = new Set<string>()
  let told = 0
  let firstToldAt: number | undefined
  let isOver = false

  /** The first that a lie applies to stays the only one. */
  const isVictim = (subject: string | undefined): boolean =>
    subject === undefined || everywhere || victims.size === 0 || victims.has(subject)

  const scene = (): Scene => ({ ...sceneNow(), payloads, told })

  /** Tells the lie about a part of an answer; whether it was one. */
  const lie = (
    said: Json,
    subject: string | undefined,
    about: {
      readonly order?: SandboxOrder | undefined
      readonly swap?: SandboxSwap | undefined
      readonly element?: Json
      readonly answer: { status: number }
    }
  ): void => {
    if (!isVictim(subject)) return
    const element = about.element ?? said
    const truth = JSON.stringify([element, about.answer])
    tell(said, { ...scene(), order: about.order, swap: about.swap, element, answer: about.answer })
    if (JSON.stringify([element, about.answer]) === truth) return
    if (subject !== undefined) victims.add(subject)
    told += 1
    firstToldAt ??= scene().now
  }

  const lieAboutOrders = (body: Json, answer: { status: number }): void => {
    const elements: ReadonlyArray<unknown> = Array.isArray(body["data"]) ? body["data"] : [body["data"]]
    for (const element of elements) {
      if (!isObject(element) || !isObject(element["attributes"])) continue
      const id = String(element["id"])
      const order = scene().state.orders.get(id)
      if (order?.market.base.id !== attacked) continue
      lie(element["attributes"], id, { order, element, answer })
    }
  }

  const rewrite = (departure: Departure, truth: HttpAnswer): HttpAnswer | undefined => {
    const found = callsOf(departure)
    const isPayload = found.includes("intent") && truth.status < 300
    const body: unknown = truth.text === "" ? undefined : JSON.parse(truth.text)
    const answer = { status: truth.status }
    const { targets } = scene().state
    if (!isOver && call === "tokens" && found.includes("price") && isAboutAttackedPair(departure))
      return { status: 400, text: JSON.stringify({ message: "No liquidity available" }) }
    if (!isOver && found.includes(call)) {
      const isRefused = truth.status >= 300
      if (call === "history" || call === "tokens" || call === "balances" || call === "pages") {
        // Lists are told about as a whole.
        const whole: Json = isObject(body) ? body : { list: body }
        if (!isRefused) lie(whole, undefined, { answer })
        return { status: answer.status, text: JSON.stringify(isObject(body) ? body : whole["list"]) }
      }
      if (!isObject(body)) return undefined
      if (call === "price") {
        if (isAboutAttackedPair(departure) && !isRefused) lie(body, undefined, { answer })
      } else if (call === "intent" || call === "submit") {
        const asked = JSON.parse(departure.body)
        const address: string =
          asked.depositAddress ?? JSON.parse(asked.signedData.payload.message).intents[0].receiver_id
        const target = targets.get(address)
        const isAttacked = [target?.origin.id, target?.destination.id].includes(attacked)
        const order = target?.kind === "order" ? target : undefined
        if (isAttacked && (call === "submit" || !isRefused)) lie(body, target?.id, { order, element: body, answer })
      } else if (call === "quote" || call === "status") {
        const address = addressIn(body, departure)
        if (!isRefused) lie(body, address, { swap: scene().state.swaps.get(address ?? ""), answer })
      } else if (!isRefused) lieAboutOrders(body, answer)
    }
    if (isPayload && isObject(body)) payloads.push(structuredClone(body))
    return { status: answer.status, text: JSON.stringify(body) }
  }

  /** Passes on what the venue may see. Instead of a swallowed cancel the order is read, so that there is something to say. */
  const guarding = (service: HttpClient.HttpClient): HttpClient.HttpClient =>
    swallows
      ? HttpClient.make((request) => {
          const path = request.url.replace(/^\w+:\/\/[^/]+/, "")
          const id = cancelPath.exec(path)?.[1]
          const isAttacked = scene().state.orders.get(id ?? "")?.market.base.id === attacked
          if (!isOver && call === "cancel" && isAttacked && isVictim(id)) {
            const url = request.url.replace(/\/cancel$/, "")
            const read = HttpClientRequest.setHeaders(HttpClientRequest.get(url), request.headers)
            return service.execute(read)
          }
          if (!isOver && call === "submit" && path === "/v0/submit-intent" && isAboutAttacked(request)) {
            const response = HttpServerResponse.jsonUnsafe({ intentHash: "" })
            return Effect.succeed(HttpServerResponse.toClientResponse(response, { request }))
          }
          return service.execute(request)
        })
      : service

  const isAboutAttacked = ({ body }: HttpClientRequest.HttpClientRequest): boolean => {
    const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "{}"
    const address = JSON.parse(JSON.parse(text).signedData.payload.message).intents[0].receiver_id
    const target = scene().state.targets.get(address)
    const isAttacked = target?.origin.id === attacked || target?.destination.id === attacked
    return isAttacked && isVictim(target.id)
  }

  return {
    rewrite,
    guarding,
    victims,
    told: () => told,
    firstToldAt: () => firstToldAt,
    /** From now on the truth is told. */
    stop: () => {
      isOver = true
    }
  }
}

const isAboutAttackedPair = ({ body }: Departure): boolean => {
  const { destinationAsset, originAsset } = JSON.parse(body)
  return [originAsset, destinationAsset].includes(attacked)
}

/** The deposit address that a quote or the status of a swap is about, as the venue knows it. */
const addressIn = (body: Json, { path }: Departure): string | undefined => {
  const asked = /[?&]depositAddress=([^&]+)/.exec(path)?.[1]
  if (asked !== undefined) return asked
  const { quote } = body
  return isObject(quote) && typeof quote["depositAddress"] === "string" ? quote["depositAddress"] : undefined
}
