/** The contract of the service, from which the client, the sandbox and the OpenAPI document derive. */
import { HttpApi } from "effect/http-api"
import { AccountApi } from "./AccountApi.ts"
import { AccountHistoryApi } from "./AccountHistoryApi.ts"
import { DepositsApi } from "./DepositsApi.ts"
import { HistoryApi } from "./HistoryApi.ts"
import { IntentsApi } from "./IntentsApi.ts"
import { OrdersApi } from "./OrdersApi.ts"
import { SwapsApi } from "./SwapsApi.ts"

/** The contract of tokens, quotes and orders. */
export const VenueApi = HttpApi.make("venue")
  .add(OrdersApi, IntentsApi, SwapsApi, AccountApi)
  .annotate(HttpApi.ParseOptions, { errors: "all" })

/** The whole interface: also swaps from quote to end, and both histories. */
export const WholeVenueApi = VenueApi.add(DepositsApi, AccountHistoryApi, HistoryApi)
