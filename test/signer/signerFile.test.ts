/** The file of `limitbot signer`: keys that have no effect are refused with their place. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SignerFile from "../../src/signer/files/SignerFile.ts"
import { newFolder } from "../world/processes/program.ts"

describe("the signer's file", () => {
  it.effect("is refused with a policyKey and without the policy that this key has signed", () =>
    Effect.gen(function* () {
      const file = join(newFolder(), "signer.yaml")
      const policyKey = `ed25519:${"1".repeat(32)}`
      writeFileSync(file, `key: { file: account.key }\nassets: { }\npolicyKey: "${policyKey}"\n`)
      const { message } = yield* Effect.flip(SignerFile.load(file))
      assert.match(message, /signer\.yaml:3:12: policyKey without policy does nothing/)
      assert.include(message, "policy: FILE, which this key has signed")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
