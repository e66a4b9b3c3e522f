/** The comparison with an outside witness comes before any report to it, however often the comparison fails. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Witnessing from "../../../src/app/run/watch/Witnessing.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../../src/files/ConfigFile.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import * as Layers from "../../../src/Layers.ts"
import * as Checkpoint from "../../../src/signing/Checkpoint.ts"
import { nowhere, workspace } from "../../world/processes/program.ts"

const signerId = "anna"
const folder = workspace(nowhere)
const [journal, witness] = [join(folder, "journal.sqlite"), join(folder, "witness.notes")]
const bot = Bookkeeper.layer.pipe(
  Layer.provideMerge(Journal.layer),
  Layer.provide(Sqlite.layer({ filename: journal })),
  Layer.provideMerge(NodeServices.layer)
)

describe("a witness", () => {
  it.live("gets no report before the journal is compared, also if a comparison fails halfway", () =>
    Effect.gen(function* () {
      const config = yield* ConfigFile.load(join(folder, "config.yaml"))
      const books = yield* Bookkeeper
      yield* books.record({ _tag: "BotStopped", reason: "test" })
      const later = { account: signerId, size: 9, root: `${"A".repeat(43)}=`, head: "0".repeat(64), at: 1 }
      const note = yield* Effect.provide(Checkpoint.signed(later), Layers.signerLayer(config.account))
      writeFileSync(witness, `${note}\n`)

      const copy = join(folder, "read.sqlite")
      writeFileSync(copy, "")
      const terms = { file: witness, everyMillis: 10 }
      const telling = yield* Witnessing.begin({ config: { ...config, journal: copy }, signerId, terms })
      const disagreement = () => books.state.witnessed?.text
      assert.isUndefined(disagreement())
      const database = new DatabaseSync(journal)
      database.exec(`VACUUM INTO '${copy}'`)
      database.close()
      yield* Effect.timeoutOption(telling, 1_000)
      assert.include(disagreement(), "it has 2 events, but the bot wrote 9")
      assert.strictEqual(readFileSync(witness, "utf8"), `${note}\n`)
    }).pipe(Effect.provide(bot), Effect.scoped)
  )
})
