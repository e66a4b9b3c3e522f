/**
 * The HTTP interfaces as OpenAPI documents, for programs that generate clients or read what there is: the bot's control API, and the
 * venue's as the client, the sandbox and the tests have it. Made of the contracts themselves, so they cannot say anything else.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { OpenApi } from "effect/http-api"
import { ControlApi } from "../src/control/api/ControlApi.ts"
import { FleetApi } from "../src/fleet/server/FleetApi.ts"
import { WholeVenueApi } from "../src/venue/api/VenueApi.ts"

export const describeInterfaces = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  const documents = {
    control: OpenApi.fromApi(ControlApi),
    fleet: OpenApi.fromApi(FleetApi),
    venue: OpenApi.fromApi(WholeVenueApi)
  }
  for (const [name, document] of Object.entries(documents))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(document, undefined, 2)}\n`)
}
