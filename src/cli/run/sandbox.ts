/** `limitbot sandbox`: the twin of the service on a loopback port, until stopped. */
import { Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { defaultPort } from "../../sandbox/serving/SandboxConfig.ts"
import { serve } from "../../sandbox/serving/SandboxServing.ts"
import { profileNames } from "../../venue/profile/Profiles.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import * as sandboxFlags from "./sandboxFlags.ts"

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))
const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.9 }))

export const command = Command.make(
  "sandbox",
  {
    port: Flag.Int("port").pipe(
      Flag.withSchema(Port),
      flags.byDefault("Port on 127.0.0.1; 0 takes a free one", defaultPort)
    ),
    seed: sandboxFlags.seed,
    candles: flags.orMissing(sandboxFlags.candles),
    speed: flags.orMissing(
      flags.figure("speed", `${sandboxFlags.speedText} (default: 1, with --script 0)`, 0, sandboxFlags.maxSpeed)
    ),
    accountCount: Flag.Int("accounts").pipe(
      Flag.withSchema(Count),
      flags.byDefault("Number of funded accounts, each with its own configuration by --write-config", 1)
    ),
    script: flags.orMissing(
      flags.file("script", "Set prices, fill orders and advance the sandbox's time by the steps of this YAML file")
    ),
    ledger: flags.orMissing(
      flags.choice(
        "ledger",
        ["native", "near"],
        "How identifiers spell the home ledger; default: native, or as of --like"
      )
    ),
    like: flags.orMissing(
      flags.choice(
        "like",
        profileNames,
        "Behave like this deployment of the service; default: like the interface document"
      )
    ),
    state: flags.orMissing(flags.file("state", "Keep the state in this file across restarts")),
    faults: Flag.Finite("faults").pipe(
      Flag.withSchema(Rate),
      flags.byDefault("Share of the requests that is lost, refused or slowed down on purpose", 0)
    ),
    solvers: flags.orMissing(sandboxFlags.solvers),
    expireAfter: flags.orMissing(sandboxFlags.expireAfter),
    writeConfig: flags.orMissing(
      flags.file("write-config", "Write a configuration for this sandbox; an existing file is not replaced")
    ),
    json: flags.json
  },
  serve
).pipe(
  help("Serve a sandbox of the whole service on this machine", {
    "limitbot sandbox --port 8180 --seed 1 --json": "Prints one JSON line when it is ready",
    "limitbot sandbox --script prices.yaml": "Prices stand still until the script sets them"
  })
)
