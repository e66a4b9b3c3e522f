/** Collects the messages of a rehearsal: messages and signs of life are written as for delivery, and counted. */
import { Effect, Layer } from "effect"
import { HttpClient, HttpServerResponse } from "effect/http"
import { Teller } from "../../control/notify/command.ts"
import { Mailer } from "../../control/notify/email.ts"
import { Phones } from "../../control/push/PhoneServices.ts"
import { answeredBy } from "../../sandbox/http/memoryClient.ts"

export const make = () => {
  const counts = { messages: 0, signsOfLife: 0, failures: 0 }
  const isHeartbeat = (path: string): boolean => path === "" || path === "/" || path === "/start"
  const receiver = answeredBy((request) =>
    Effect.sync(() => {
      const path = request.url.replace(/^\w+:\/\/[^/]+/, "")
      if (path === "/fail") counts.failures += 1
      else if (isHeartbeat(path)) counts.signsOfLife += 1
      else counts.messages += 1
      return HttpServerResponse.toClientResponse(HttpServerResponse.empty(), { request })
    })
  )
  const countMessage = () =>
    Effect.sync(() => {
      counts.messages += 1
    })
  return {
    counts,
    people: Layer.succeed(HttpClient.HttpClient, receiver),
    carriers: Layer.mergeAll(
      Layer.succeed(Mailer, countMessage),
      Layer.succeed(Teller, countMessage),
      Layer.succeed(Phones, countMessage)
    )
  }
}
