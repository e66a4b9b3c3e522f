/** End users: a session for a signed message, and the balances of the account. */
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../../venue/api/Credentials.ts"
import { messageError } from "../../venue/wire/WireError.ts"
import { verify } from "../core/Intents.ts"
import * as Books from "../core/money/Books.ts"
import type { State } from "../core/State.ts"
import { Sandbox } from "../Sandbox.ts"
import { SandboxApi } from "../SandboxApi.ts"
import * as Keys from "./Keys.ts"
import { asMessageError } from "./refusals.ts"

const accessSeconds = 3600
const refreshSeconds = 30 * 86_400

export const layer = HttpApiBuilder.group(
  SandboxApi,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const sandbox = yield* Sandbox
    const { seed } = sandbox.settings
    const usedNonces = new Set<string>()

    const tokenOf = Effect.fnUntraced(function* (account: string, use: "access" | "refresh", seconds: number) {
      return Keys.issue(seed, { use, sub: account, exp: Math.floor((yield* Clock.currentTimeMillis) / 1000) + seconds })
    })

    return handlers.handleAll({
      authenticate: Effect.fnUntraced(function* ({ payload: { signedData } }) {
        const verified = yield* sandbox.read((state) => verify(state, signedData, "login")).pipe(asMessageError)
        if (Result.isFailure(verified)) {
          const { isForged, text } = verified.failure
          return yield* messageError(isForged ? 401 : 400, text)
        }
        const { signerId, transfers } = verified.success
        if (transfers.length > 0) return yield* messageError(400, "a login message holds no intents")
        if (usedNonces.has(`${signerId} ${signedData.payload.nonce}`)) {
          return yield* messageError(400, "nonce was already used")
        }
        usedNonces.add(`${signerId} ${signedData.payload.nonce}`)
        return {
          accessToken: yield* tokenOf(signerId, "access", accessSeconds),
          refreshToken: yield* tokenOf(signerId, "refresh", refreshSeconds),
          expiresIn: accessSeconds,
          refreshExpiresIn: refreshSeconds
        }
      }),
      refresh: Effect.fnUntraced(function* ({ payload }) {
        const claims = Keys.readToken(seed, payload.refreshToken, "refresh", yield* Clock.currentTimeMillis)
        if (claims === undefined) return yield* messageError(401, "The refresh token is not valid or has expired")
        return { accessToken: yield* tokenOf(claims.sub, "access", accessSeconds), expiresIn: accessSeconds }
      }),
      balances: Effect.fnUntraced(function* ({ query }) {
        const { account = "" } = yield* Caller
        // Clients repeat the parameter, or send one list with commas.
        const tokenIds = (query.tokenIds ?? []).flatMap((ids) => ids.split(",")).filter((id) => id !== "")
        return yield* sandbox.read((state) => balancesOf(state, account, tokenIds)).pipe(asMessageError)
      })
    })
  })
)

/** Like the service, shows no public money. */
const balancesOf = (state: State, account: string, tokenIds: ReadonlyArray<string>) => {
  const ids = tokenIds.length > 0 ? tokenIds : state.settings.assets.map(({ id }) => id)
  const balances = ids.map((tokenId) => {
    const available = String(Books.amountIn(state.books, tokenId, { account, place: "private" }))
    return { tokenId, available, source: "private" }
  })
  return { balances: tokenIds.length > 0 ? balances : balances.filter(({ available }) => available !== "0") }
}
