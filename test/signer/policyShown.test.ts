/** `policy show` says everything that a policy restricts, in text and as JSON: a policy that is shown in part looks looser than it is. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { newFolder, runHere } from "../world/processes/program.ts"

const approver = "ed25519:6E8sCci9badyRkXb3JoRpBj5p8C6Tw41ELDZoiihKEtp"

const shownOf = async (rules: string) => {
  const cwd = newFolder()
  const { code, stderr } = await runHere(["signer", "key", "--out", "account.key"], { cwd })
  assert.strictEqual(code, 0, stderr)
  writeFileSync(join(cwd, "signer.yaml"), `key: { file: account.key }\nverifier: intents.near\n${rules}`)
  writeFileSync(join(cwd, "signer.log"), "", { mode: 0o600 })
  const ask = (...more: ReadonlyArray<string>) =>
    runHere(["signer", "policy", "--config", "signer.yaml", ...more], { cwd })
  const text = await ask()
  assert.strictEqual(text.code, 0, text.stderr)
  return {
    lines: text.stdout.trimEnd().split("\n").slice(1),
    data: JSON.parse((await ask("--json")).stdout).policies[0]
  }
}

describe("policy show", () => {
  it("prints the caps of one payment, of everything together, the hours, destinations and approvers", async () => {
    const { data, lines } = await shownOf(`assets:
  USDC: { id: "usdc", decimals: 6, price: 1, maxTransfer: 100, maxPerDay: 3000, approveAbove: 40 }
total: { maxPerHour: 500, maxPerDay: 5000 }
hours: ["mon-tue 06:00-22:00", "sun 22:00-02:00"]
destinations: ["a.near", "b*"]
approvers: ["${approver}"]
`)
    assert.deepStrictEqual(lines, [
      "  USDC: at most 100 at once, more than 40 only with an approval",
      "  USDC: 0 of 3000 in 24 hours",
      "  everything together: 0 of 500 in 1 hour",
      "  everything together: 0 of 5000 in 24 hours",
      "  signs only (UTC): mon 06:00-22:00, tue 06:00-22:00, sun 22:00-mon 02:00",
      "  pays only: a.near, b*",
      `  approvers: ${approver}`
    ])
    assert.deepInclude(data, {
      payments: [{ asset: "USDC", maxTransfer: "100", approveAbove: "40" }],
      total: [
        { cap: "maxPerHour", used: "0", most: "500" },
        { cap: "maxPerDay", used: "0", most: "5000" }
      ],
      hours: ["mon 06:00-22:00", "tue 06:00-22:00", "sun 22:00-mon 02:00"],
      destinations: ["a.near", "b*"],
      approvers: [approver]
    })
  })

  it("omits what a policy does not restrict", async () => {
    const { data, lines } = await shownOf(`assets:
  USDC: { id: "usdc", decimals: 6, maxTransfer: 100, maxPerDay: 3000 }
`)
    assert.deepStrictEqual(lines, ["  USDC: at most 100 at once", "  USDC: 0 of 3000 in 24 hours"])
    assert.deepInclude(data, { total: [], hours: null, destinations: null, approvers: null })
  })
})
