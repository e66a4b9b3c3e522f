/** HTTP to other machines, through a proxy if there is one: a tunnel, so that the proxy sees only the names of hosts. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Redacted } from "effect"
import type { HttpClient } from "effect/http"

export interface Proxy {
  /** May contain a password. */
  readonly address: Redacted.Redacted
  /** Hosts that are reached directly, in the form of NO_PROXY. */
  readonly direct: string
}

const dispatcher = ({ address, direct }: Proxy) =>
  Effect.acquireRelease(
    Effect.promise(() => import("@effect/platform-node/Undici")).pipe(
      Effect.map(({ EnvHttpProxyAgent }) => {
        const proxy = Redacted.value(address)
        return new EnvHttpProxyAgent({ httpProxy: proxy, httpsProxy: proxy, noProxy: direct, proxyTunnel: true })
      })
    ),
    (agent) => Effect.promise(() => agent.destroy())
  )

export const layer = (proxy: Proxy | undefined): Layer.Layer<HttpClient.HttpClient> =>
  proxy === undefined
    ? NodeHttpClient.layerUndici
    : NodeHttpClient.layerUndiciNoDispatcher.pipe(
        Layer.provide(Layer.effect(NodeHttpClient.Dispatcher, dispatcher(proxy)))
      )
