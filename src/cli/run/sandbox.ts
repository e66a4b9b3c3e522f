/** `limitbot sandbox`: the twin of the service on a loopback port, until stopped. */
import { Command } from "effect/cli"
import { age } from "../../domain/Text.ts"
import { defaultPort } from "../../sandbox/serving/SandboxConfig.ts"
import { serve, solverNames, usualExpireMillis } from "../../sandbox/serving/SandboxServing.ts"
import { profileNames } from "../../venue/profile/Profiles.ts"
import * as flags from "../flags.ts"
import * as sandboxFlags from "./sandboxFlags.ts"

export const command = Command.make(
  "sandbox",
  {
    port: flags
      .integerIn("port", 0, 65_535)
      .pipe(flags.byDefault("Port on 127.0.0.1; 0 takes a free one", defaultPort)),
    seed: sandboxFlags.seed,
    candles: sandboxFlags.candles,
    speed: flags.figure("speed", `${sandboxFlags.speedText} (default: 1, with --script 0)`, 0, sandboxFlags.maxSpeed),
    accountCount: flags
      .integerIn("accounts", 1, 1_000)
      .pipe(flags.byDefault("Number of funded accounts, each with its own configuration by --write-config", 1)),
    script: flags.file(
      "script",
      "Set prices, fill orders and advance the sandbox's time by the steps of this YAML file"
    ),
    ledger: flags.choice(
      "ledger",
      ["native", "near"],
      "How identifiers spell the home ledger; default: native, or that of --like"
    ),
    like: flags.choice(
      "like",
      profileNames,
      "Behave like this deployment of the service; default: like the interface document"
    ),
    state: flags.file("state", "Keep the state in this file across restarts"),
    faults: flags
      .figureIn("faults", 0, 0.9)
      .pipe(flags.byDefault("Share of the requests that is lost, refused or slowed down on purpose", 0)),
    solvers: flags.file(
      "solvers",
      `Who fills orders: ${solverNames.join(", ")}, or a YAML file; default: a touch of the mid fills`
    ),
    expireAfter: flags.duration(
      "expire-after",
      `How long a generated transfer stays valid at most, for example 20s (default: ${age(usualExpireMillis)})`
    ),
    writeConfig: flags.file("write-config", "Write a configuration for this sandbox; an existing file is not replaced"),
    json: flags.json
  },
  serve
).pipe(
  flags.help("Serve a sandbox of the whole service on this machine", {
    "limitbot sandbox --port 8180 --seed 1 --json": "Prints one JSON line when it is ready",
    "limitbot sandbox --script prices.yaml": "Prices stand still until the script sets them"
  })
)
