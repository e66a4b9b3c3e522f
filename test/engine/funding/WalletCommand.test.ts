/** The wallet that is a program: what it is told, what its ends mean, and what it must not see. */
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { type PaymentRequest, Wallet } from "../../../src/engine/funding/Wallet.ts"
import * as WalletCommand from "../../../src/engine/funding/WalletCommand.ts"

const payment: PaymentRequest = {
  reference: "p1-order",
  asset: { symbol: "BTC", id: "nep141:btc.omft.native", decimals: 8 },
  amount: 1_234_567n,
  depositAddress: "bc1qvenue",
  depositMemo: "42",
  deadline: Date.parse("2026-01-01T00:10:00Z")
}

/** Pays by a shell script; `$1` is the first argument. */
const pay = (script: string, secretVariables: ReadonlyArray<string> = []) => {
  const program = join(mkdtempSync(join(tmpdir(), "limitbot-wallet-")), "wallet.sh")
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return payWith({ program, args: ["argument"], secretVariables })
}

const payWith = (command: WalletCommand.WalletCommand) =>
  Effect.gen(function* () {
    const { pay: run } = yield* Wallet
    return yield* Effect.result(run(payment))
  }).pipe(Effect.provide(WalletCommand.layer(command).pipe(Layer.provide(NodeServices.layer))))

const failure = <A, E extends { readonly _tag: string; readonly text: string }>(result: Result.Result<A, E>) =>
  Result.isFailure(result) ? `${result.failure._tag}: ${result.failure.text}` : JSON.stringify(result.success)

describe("a wallet command", () => {
  it.live("gets the payment as one line of JSON and its arguments", () =>
    Effect.gen(function* () {
      const told = join(mkdtempSync(join(tmpdir(), "limitbot-wallet-")), "told.json")
      const paid = yield* pay(
        `cat > ${told}; test "$1" = argument && grep -q 1234567 ${told} && echo '{"txHash":"0xabc","sender":"me"}'`
      )
      assert.deepStrictEqual(Result.getOrThrow(paid), { txHash: "0xabc", sender: "me" })
      const { default: request } = yield* Effect.promise(() => import(told, { with: { type: "json" } }))
      assert.deepStrictEqual(request, {
        version: 1,
        reference: "p1-order",
        asset: payment.asset,
        amount: "1234567",
        amountFormatted: "0.01234567",
        depositAddress: "bc1qvenue",
        depositMemo: "42",
        deadline: "2026-01-01T00:10:00.000Z"
      })
    })
  )

  const ends: ReadonlyArray<readonly [name: string, script: string, expected: RegExp]> = [
    ["a bare hash", "echo 0xabc", /^\{"txHash":"0xabc"\}$/],
    ["a hash with any exit code", `echo ${"ab".repeat(32)}; exit 65`, /^\{"txHash":"(ab){32}"\}$/],
    ["exit code 65: nothing was sent", "echo locked; exit 65", /^WalletRefused: locked$/],
    ["exit code 0 without a hash", "true", /^WalletUnclear: .*code 0 and without a transaction hash$/],
    ["exit code 1: it failed, and has not paid", "echo no funds; exit 1", /^WalletRefused: no funds$/],
    ["exit code 1 with a transaction", `echo ${"ab".repeat(32)}; exit 1`, /^WalletUnclear: .*code 1 .* (ab){32}$/],
    ["any other exit code", "exit 2", /^WalletUnclear: .*code 2/],
    ["words instead of a hash", "echo I paid it", /^WalletUnclear: /],
    ["JSON without a hash", "echo '{}'", /^WalletUnclear: /],
    ["killed in the middle", "kill -9 $$", /^WalletUnclear: /],
    ["input that it never reads", "exec 0<&-; echo 0xabc", /^\{"txHash":"0xabc"\}$/]
  ]
  it.live.each(ends)("understands %s", ([, script, expected]) =>
    Effect.gen(function* () {
      assert.match(failure(yield* pay(script)), expected)
    })
  )

  it.effect("that hangs and cannot be killed is given up after its timeout", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "limitbot-wallet-"))
      const asked = yield* Effect.forkChild(pay(`trap "" TERM; touch ${folder}/begun; while :; do sleep 0.05; done`))
      while (!existsSync(join(folder, "begun"))) yield* Effect.promise(() => pause(10))
      yield* TestClock.adjust("10 minutes")
      assert.match(failure(yield* Fiber.join(asked)), /^WalletUnclear: .*did not end in ten minutes$/)
    })
  )

  it.live("that pays and leaves a child with its output open counts as paid", () =>
    Effect.gen(function* () {
      const result = yield* pay("cat > /dev/null; sleep 3 & echo 0xabc")
      assert.match(failure(result), /^\{"txHash":"0xabc"\}$/)
    })
  )

  it.live("that ends well is not killed while a child of it is still paying", () =>
    Effect.gen(function* () {
      const file = join(mkdtempSync(join(tmpdir(), "limitbot-wallet-")), "sent")
      const result = yield* pay(`cat > /dev/null; (sleep 1.3; touch ${file}) & echo 0xabc`)
      assert.match(failure(result), /^\{"txHash":"0xabc"\}$/)
      while (!existsSync(file)) yield* Effect.promise(() => pause(20))
    })
  )

  it.live("that cannot be started has sent nothing", () =>
    Effect.gen(function* () {
      const result = yield* payWith({ program: "/nowhere/wallet", args: [], secretVariables: [] })
      assert.match(failure(result), /^WalletRefused: \/nowhere\/wallet cannot be run/)
    })
  )

  it.live("inherits the environment without our secrets", () =>
    Effect.gen(function* () {
      process.env["LIMITBOT_TEST_SECRET"] = "s3cret"
      process.env["LIMITBOT_TEST_OTHER"] = "kept"
      const shown = pay('echo "hash-$LIMITBOT_TEST_SECRET-$LIMITBOT_TEST_OTHER"', ["LIMITBOT_TEST_SECRET"])
      assert.strictEqual(Result.getOrThrow(yield* shown).txHash, "hash--kept")
    })
  )
})
