/** `limitbot check` changes nothing; only --notify sends test messages. Exit code 1: something must be fixed. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Record } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Answer from "../../process/Answer.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

const others = {
  service: flags.toggle("service", "Compare the service with what this program was written for; reads only"),
  profile: flags.toggle("profile", "Only show how the service at venue.url behaves: every fact"),
  containment: flags.toggle(
    "containment",
    "List what can still act or be paid; exit code 0 proves that nothing can. Also with --account and --signer"
  ),
  notify: flags.toggle("notify", "Send a test message to every receiver of the configuration"),
  upgrade: flags.toggle(
    "upgrade",
    "List what to change in FILE…, the configuration and the journal of an earlier version"
  )
}

const config = flags
  .file(
    "config",
    `The configuration file: strategies may use only its markets; default: ${flags.defaultConfig}, and any market`
  )
  .pipe(Flag.withAlias("c"))

const strategyFlags = {
  lookahead: flags.toggle("lookahead", "Also test on the candles of --data that a strategy does not see the future"),
  data: runFlags.data,
  ...runFlags.partFlags
}

const programFlags = {
  kind: flags.choice(
    "plug-in",
    ["notifier", "price", "wallet", "kms", "signer"],
    "Test the program after -- as a bot would call it, and list its faults; for a signer, give the path of its socket instead"
  ),
  publicKey: flags.text("public-key", "With --plug-in kms: its public key, ed25519:…"),
  market: Flag.String("market").pipe(flags.byDefault("With --plug-in price: a market that it knows", "BTC/USDC")),
  within: flags.duration("within", "With --plug-in: time limit of one answer (default: as a bot; a wallet 1m)")
}

const load = <A>(module: () => Promise<A>) => Effect.promise(module)
const doctor = load(() => import("../../app/control/Doctor.ts"))
const notifying = load(() => import("../../app/control/NotifyTest.ts"))

const ofConfig = {
  needs: Effect.fnUntraced(function* (config: string, json: boolean) {
    const { answerOf, findingsOf } = yield* doctor
    yield* Answer.print(Effect.map(findingsOf(config), answerOf), { json })
  }, Effect.provide(NodeHttpClient.layerUndici)),
  service: (config: string, json: boolean) =>
    Effect.flatMap(doctor, ({ compared }) => Answer.print(compared(config), { json })),
  profile: (config: string, json: boolean) =>
    Effect.flatMap(doctor, ({ profileOf }) => Answer.print(profileOf(config), { json })),
  notify: (config: string, json: boolean) =>
    Effect.flatMap(notifying, ({ sendTest }) => Answer.print(sendTest(config), { json }))
}

export const command = Command.make(
  "check",
  {
    files: flags
      .fileArgument("file", "Strategy files (YAML); default: check what a bot needs")
      .pipe(Argument.variadic()),
    others,
    config,
    account: WhichBot.flags.account,
    database: WhichBot.flags.database,
    signer: flags.file("signer", "With --containment: the file of the signer process, to check its record as well"),
    strategyFlags,
    programFlags,
    json: flags.json
  },
  Effect.fn(function* ({ files, programFlags, strategyFlags, others, signer, json, ...which }) {
    const usual = flags.defaultConfig
    const file = which.config ?? usual
    const { kind, ...program } = programFlags
    const chosen = Record.keys(others).filter((name) => others[name])
    const [only] = chosen
    if (chosen.length + (kind !== undefined ? 1 : 0) > 1) return yield* wrongUsage("check does one thing at a time")
    if (only !== "containment" && (which.account ?? which.database ?? signer) !== undefined)
      return yield* wrongUsage("--account, --database-file and --signer go with --containment")
    if (kind !== undefined) {
      const { checked } = yield* load(() => import("../../app/plugIn/ProgramChecks.ts"))
      return yield* Answer.print(checked({ ...program, kind, command: files }), { json })
    }
    if (only === "upgrade") return yield* Answer.print((yield* doctor).upgraded(file, files), { json })
    if (strategyFlags.lookahead && (only !== undefined || files.length === 0))
      return yield* wrongUsage("--lookahead is for strategy files: name them")
    if (only === undefined && files.length > 0) {
      const { check } = yield* load(() => import("../../lab/runs/FileCheck.ts"))
      return yield* check({ ...strategyFlags, files, config: which.config, usual, json })
    }
    if (files.length > 0) return yield* wrongUsage(`--${only} takes no files`)
    if (only !== "containment") return yield* ofConfig[only ?? "needs"](file, json)
    const { containment } = yield* load(() => import("../../app/containment/Looking.ts"))
    yield* Answer.print(containment(signer), { json }).pipe(
      Effect.provide(WhichBot.layerOf({ bot: { ...which, config: file } }))
    )
  })
).pipe(
  flags.help(
    "Check strategy files, or the setup if no file is named; with a flag the service, a plug-in or a stopped bot",
    {
      "limitbot check strategies/*.yaml --config config/example.yaml": "Every mistake with file, line and column",
      "limitbot check strategies/rules.yaml --lookahead --data eth-1h.csv": "Also test that it does not see the future",
      "limitbot check": "What a bot needs, and what to fix",
      "limitbot check --containment": "What a kill must stop; repeat it until every list is empty",
      "limitbot check --containment --signer config/signer.yaml --json":
        "Also payments that the signer process signed, as JSON",
      "limitbot check --upgrade strategies/*.yaml": "Before the first start of a new version",
      "limitbot check --plug-in notifier -- ./tell.sh": "Does it take every message?",
      "limitbot check --plug-in wallet -- ./pay.sh --config pay.json": "Does it refuse payments that it cannot make?"
    }
  )
)
