/** The whole bot at a service that changes while it runs: what it records, what it no longer pays, and that it goes on when all is well. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { configText, control, runHere, startHere, startStill, workspace } from "../../world/processes/program.ts"
import { recordingProxy } from "../../world/processes/recordingProxy.ts"

const proxies: Array<{ readonly close: () => Promise<void> }> = []
afterAll(() => Promise.all(proxies.map(({ close }) => close())))

describe("a bot at a service that changes", () => {
  it("pays nothing while a field that money depends on is missing, and continues once it is back", async () => {
    const sandbox = await startStill()
    let isChanged = true
    const proxy = await recordingProxy(sandbox.url, "", 0, (path, body) =>
      isChanged && path.startsWith("/v0/orders") ? body.replaceAll('"refund":', '"moneyBack":') : body
    )
    proxies.push(proxy)
    // Without the partner's token there is no history, which would be asked for once in five seconds.
    const text = configText({ ...sandbox, url: proxy.url }).replace(/ *partnerJwt.*\n/, "")
    const config = `${text}canary: { every: 1s }\n`
    const cwd = workspace(sandbox, { "config.yaml": config })
    const run = () =>
      startHere(["run", "grid.yaml", "--allow", "fee-floor", "--json", "--config", "config.yaml"], { cwd })

    // Without an order of its own there is nothing to see it by.
    const first = run()
    await first.says(/"ServiceCompared".*moneyBack/)
    first.signal("SIGTERM")
    await first.ended
    assert.include(first.stdout(), "field `payouts.refund` of orders")

    const asked = await runHere(["check", "--service", "--json", "--config", "config.yaml"], { cwd })
    assert.strictEqual(asked.code, 1)
    const { checked, drift } = JSON.parse(asked.stdout)
    assert.includeMembers(checked, ["tokens", "quote", "orders"])
    assert.deepStrictEqual(drift, [
      { what: "field `payouts.refund` of orders", was: "an object", is: "absent", closesFunding: true },
      { what: "field `payouts.moneyBack` of orders", was: "absent", is: "null", closesFunding: false }
    ])
    const shown = await runHere(["check", "--service", "--config", "config.yaml"], { cwd })
    assert.match(
      shown.stdout,
      /^CHANGED {2}field `payouts\.refund` of orders is gone \(was an object\): orders pause$/m
    )
    assert.match(shown.stdout, /^differs {2}field `payouts\.moneyBack` of orders is new/m)

    const doctor = await runHere(["check", "--config", "config.yaml"], { cwd })
    const told =
      /^warn {3}service: at the last comparison, field `payouts\.refund` of orders is gone .*: orders pause; /m
    assert.match(doctor.stdout, told)

    // What the first run found holds until somebody looks again.
    isChanged = false
    // On a busy machine every order may be paid before the first look: the exit of a fill is something to pay again.
    if (first.stdout().split('"FundingAcknowledged"').length > 20)
      await control(sandbox, "fill", { side: "BUY", price: "59900" })
    const second = run()
    await second.says('"FundingSigned"')
    second.signal("SIGTERM")
    await second.ended
    const events = second
      .stdout()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line): { readonly event?: string; readonly drift?: unknown } => JSON.parse(line))
    const [next] = events.filter(({ event }) => event === "ServiceCompared" || event === "FundingSigned")
    assert.deepStrictEqual([next?.event, next?.drift], ["ServiceCompared", []])
    assert.notInclude((await runHere(["check", "--config", "config.yaml"], { cwd })).stdout, "last looked")
  })
})
