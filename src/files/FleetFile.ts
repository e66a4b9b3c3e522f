/** Reads the settings of the page over many bots. With a trader's token the page can pause and kill a bot, else only show it. */
import { Effect, FileSystem, Path, type Redacted, Schema } from "effect"
import { url } from "../control/Address.ts"
import type { ControlOptions } from "../control/ControlOptions.ts"
import * as Read from "../strategy/Fields.ts"
import { render, sourceText } from "../strategy/Problem.ts"
import { readFile } from "../strategy/YamlReader.ts"
import * as PlainFiles from "./PlainFiles.ts"
import { readSecret, secret } from "./secrets/SecretSource.ts"
import * as DashboardConfig from "./sections/DashboardConfig.ts"

export class FleetFileInvalid extends Schema.TaggedError<FleetFileInvalid>()("FleetFileInvalid", {
  message: Schema.String
}) {}

const reader = Read.settingsReader({
  dashboard: Read.optional(DashboardConfig.reader, "where the page is served", "as a bot's"),
  bots: Read.optional(
    Read.table(
      Read.matching("a name of letters, digits, dots and dashes", /^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$/),
      Read.section({
        url: Read.required(url, "address of its control server"),
        token: Read.required(secret, "its token: a viewer's only reads, a trader's also commands")
      })
    ),
    "standalone bots",
    "none"
  )
})

export interface RegisteredBot {
  readonly name: string
  readonly url: string
  readonly token: Redacted.Redacted
}

/** Applies without a file: this machine alone, and the usual port or any free one. */
export const usual: ControlOptions = {
  host: "127.0.0.1",
  port: DashboardConfig.defaultPort,
  mayMove: true,
  names: [],
  viewerToken: undefined,
  tls: undefined
}

export const load = Effect.fn("FleetFile.load")(function* (file: string) {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const text = yield* fileSystem
    .readFileString(file)
    .pipe(
      Effect.mapError(
        (error) => new FleetFileInvalid({ message: `${file}: ${PlainFiles.phraseOf(error) ?? error.message}` })
      )
    )
  const { fields: fleetSettings, to } = readFile(reader, sourceText(file, text))
  const folder = path.dirname(path.resolve(file))
  const options =
    fleetSettings?.dashboard === undefined ? usual : yield* DashboardConfig.loaded(fleetSettings.dashboard, folder, to)
  const bots = yield* Effect.forEach([...(fleetSettings?.bots ?? [])], ([{ value: name }, { value }]) =>
    Effect.map(readSecret(value.token, folder, to), (token) =>
      token === undefined ? [] : [{ name, url: value.url, token }]
    )
  )
  // Lines are not shown, because a misplaced secret may be on one of them.
  if (options === undefined || to.problems.length > 0)
    return yield* new FleetFileInvalid({ message: to.problems.map((problem) => render(problem, "")).join("\n") })
  return { options, bots: bots.flat() satisfies ReadonlyArray<RegisteredBot> }
})
