/** `limitbot init [FILE]`: asks a few questions and writes a commented strategy file; flags can answer every question. */
import { Console } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { init, schemaText } from "../../app/init/Init.ts"
import { profileNames } from "../../venue/profile/Profiles.ts"
import * as flags from "../flags.ts"

export const command = Command.make(
  "init",
  {
    file: flags.fileArgument("file", "The strategy file to write").pipe(Argument.withDefault("strategy.yaml")),
    config: flags.config,
    schema: flags.choice("schema", ["strategy", "config"], "Only print the JSON Schema of this file, for editors"),
    like: flags.text(
      "like",
      "Start from a strategy of the catalogue, without questions: rsi-oversold, safety-orders, …"
    ),
    profile: flags.choice("profile", profileNames, "Deployment of the service, for a new configuration"),
    given: {
      venue: flags.text("venue", "Address of the venue, or sandbox: for a new configuration"),
      key: flags.text("key-file", "The account's key: new, or a file of mode 0600"),
      apiKey: flags.text("api-key-file", "The venue's API key: env, or a file of mode 0600"),
      market: flags.text("market", "Market, as BASE/QUOTE"),
      kind: flags.text("kind", "Kind of strategy; code: one of your own in TypeScript, without questions"),
      name: flags.text("name", "Name of the strategy")
    },
    set: flags.pairs("set", "Answer another question: --set lower=50000 --set upper=70000"),
    yes: flags.toggle("yes", "Ask nothing: use the default where no flag answers a question").pipe(Flag.withAlias("y")),
    overwrite: flags.toggle("overwrite", "Replace FILE if it exists")
  },
  ({ schema, ...asked }) =>
    schema !== undefined ? Console.log(schemaText(schema)) : init({ ...asked, usual: flags.defaultConfig })
).pipe(
  flags.help("Ask a few questions and write a strategy file, and a configuration if none exists", {
    "limitbot init": "Asks everything",
    "limitbot init --schema strategy > strategy.schema.json": "Then name it in the first line of a file",
    "limitbot init grid.yaml --venue sandbox --market BTC/USDC --kind grid --set size=100 --yes": "Asks nothing"
  })
)
