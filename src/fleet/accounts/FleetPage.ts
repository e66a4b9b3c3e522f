/** Serves one page and one API over all accounts of a fleet, and over single bots, until stopped. */
import { Console, Effect, Layer, Option, type Redacted } from "effect"
import { fleetDatabase } from "../../app/bots/AccountOfFleet.ts"
import * as DashboardPage from "../../app/control/DashboardPage.ts"
import * as FleetFile from "../../files/FleetFile.ts"
import { requestedOrAfter } from "../../process/Stop.ts"
import * as FleetServer from "../server/FleetServer.ts"
import * as FleetView from "./FleetView.ts"

interface Asked<E, R> {
  /** File with the server's address and the other bots that it shows. The page's tokens are beside it. */
  readonly file: Option.Option<string>
  /** Address of the fleet's database. Fails if none was set. */
  readonly database: Effect.Effect<Redacted.Redacted, E, R>
  readonly forMillis: Option.Option<number>
}

export const serve = Effect.fn("FleetPage.serve")(function* <E, R>({ database, file, forMillis }: Asked<E, R>) {
  const beside = Option.getOrElse(file, () => "fleet")
  const { bots, options } = Option.isSome(file)
    ? yield* FleetFile.load(file.value)
    : { bots: [], options: FleetFile.usual }
  // Single bots can be shown without a fleet.
  const url = yield* bots.length === 0 ? Effect.asSome(database) : Effect.option(database)
  const serving = Effect.gen(function* () {
    const address = yield* FleetServer.serve(beside, options)
    yield* Console.log(`Dashboard: ${yield* DashboardPage.line(beside, address)}`)
    yield* requestedOrAfter(forMillis)
  })
  const fleet = Option.isSome(url)
    ? FleetView.layer(bots).pipe(Layer.provide(fleetDatabase(url.value)))
    : FleetView.layerOfBots(bots)
  yield* Effect.provide(serving, fleet)
}, Effect.scoped)
