/** Rows of a fleet's database come no further on a machine than its own file allows. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as FleetAllowed from "../../src/files/FleetAllowed.ts"
import * as AccountBot from "../../src/fleet/accounts/AccountBot.ts"
import { configText, gridText, newFolder, nowhere } from "../world/processes/program.ts"

const allowed: FleetAllowed.Allowed = {
  addresses: new Set(["https://venue.example", "smtps://mail.example"]),
  recipients: new Set(["partner.near", "bc1qours"]),
  programs: new Set([JSON.stringify(["wallet", "--pay"])])
}

const why = (config: string, name = "anna") => {
  const verdict = FleetAllowed.verify({ name, config, strategies: [] }, allowed)
  return Result.isFailure(verdict) ? verdict.failure.message : ""
}

describe("a row of a fleet's database", () => {
  it.each([
    ["names a program", "account: { wallet: { command: [sh, -c, evil] } }", /sh -c evil is not allowed.*\n.*programs/s],
    ["adds an argument", "account: { wallet: { command: [wallet, --pay, --all] } }", /is not allowed/],
    [
      "names another venue",
      "venue: { url: https://venue.example.evil }",
      /https:\/\/venue\.example\.evil is not allowed/
    ],
    ["hides an address in a list", "notify: [{ to: webhook, url: HTTP://evil/x }]", /http:\/\/evil is not allowed/],
    [
      "spells an address without slashes",
      "venue: { url: 'https:evil.example' }",
      /https:\/\/evil\.example is not allowed/
    ],
    ["spells an address with one slash", "venue: { url: 'https:/evil.example' }", /https:\/\/evil\.example is not/],
    [
      "spells an address with backslashes",
      "venue: { url: 'https:\\\\evil.example' }",
      /https:\/\/evil\.example is not/
    ],
    [
      "puts a space before an address",
      "venue: { url: ' https://evil.example' }",
      /https:\/\/evil\.example is not allowed/
    ],
    [
      "sends mail through another server",
      "notify: [{ to: email, url: smtps://evil }]",
      /smtps:\/\/evil is not allowed/
    ],
    ["reads another journal", "data: journal:/var/other.sqlite", /is outside the account's folder/],
    ["reads above its folder by a pattern", "data: '{..,.}/ben/prices.csv'", /is outside the account's folder/],
    ["makes two dots of braces", "data: '.{.,}/ben/prices.csv'", /is outside the account's folder/],
    ["makes two dots of two parts", "data: '{a,.}./ben/prices.csv'", /is outside the account's folder/],
    ["makes two dots across a slash", "data: 'a/{b,.}{./..,c}/x'", /is outside the account's folder/],
    ["closes its braces after a slash", "data: '.{./ben,x}/prices.csv'", /is outside the account's folder/],
    ["adds nothing to a dot", "data: '.{x,}./ben/prices.csv'", /is outside the account's folder/],
    [
      "hides an address behind a login",
      "venue: { url: 'https://venue.example@evil.example/' }",
      /evil\.example is not/
    ],
    ["breaks an address into lines", 'venue: { url: "ht\\ttps:\\n//evil.example" }', /evil\.example is not allowed/],
    ["uses another port", "venue: { url: 'https://venue.example:444' }", /venue\.example:444 is not allowed/],
    [
      "signs at another account's socket",
      "account: { signer: { socket: ../ben/key.sock } }",
      /is outside the account's/
    ],
    ["writes a journal by an address", "journal: 'file:../ben/x.sqlite'", /is outside the account's folder/],
    ["refunds somebody a level deeper", "account: { refundTo: { BTC: { a: evil } } }", /evil is not allowed/],
    ["pays somebody", "account: { recipients: { BTC: bc1qtheirs } }", /bc1qtheirs is not allowed.*\n.*recipients/s],
    ["refunds somebody", "account: { refundTo: { BTC: bc1qtheirs } }", /bc1qtheirs is not allowed/],
    ["gives fees to somebody", "account: { terms: { appFees: { evil.near: 100 } } }", /evil\.near is not allowed/],
    ["is of another account", "account: { signerId: evil.near }", /evil\.near is not allowed/],
    [
      "reads another account's key",
      "account: { key: { file: ../ben/account.key } }",
      /is outside the account's folder/
    ],
    ["reads a file of the machine", "account: { key: { file: /etc/limitbot/key } }", /is outside the account's folder/],
    ["reads the environment", "venue: { apiKey: { env: LIMITBOT_DATABASE_URL } }", /files of its account/]
  ])("that %s is refused", (_, config, message) => {
    assert.match(why(config), message)
  })

  it("that names only allowed things is accepted", () => {
    const config = `venue: { url: https://venue.example/v1, apiKey: { file: api.key } }
account:
  wallet: { command: [wallet, --pay] }
  recipients: { BTC: bc1qours }
  terms: { appFees: { partner.near: 10, self: 5 } }
data: "prices/{2025,2026}/{a.csv,b.csv}"
assets: { ETH: { id: "nep141:eth.omft.near", decimals: 18 } }
`
    assert.strictEqual(why(config), "")
  })

  it.each(["../anna", "Anna", "a/b", "", "-a", "."])("named %j is refused", (name) => {
    assert.match(why("", name), /account's name has lower-case letters, digits and dashes/)
  })

  it.effect("starts nothing if this machine allows nothing", () =>
    Effect.gen(function* () {
      const folder = newFolder()
      mkdirSync(join(folder, "anna"))
      const unreported = { told: undefined, toldSecondsAgo: undefined }
      const strategies = [{ file: "grid.yaml", text: gridText }]
      const row = { name: "anna", config: configText(nowhere), strategies, ...unreported }
      const load = Effect.flip(AccountBot.loaded(folder, row))
      assert.match((yield* load).message, /allowed\.yaml: .*It lists the addresses, programs and recipients/)
      writeFileSync(join(folder, "allowed.yaml"), "addresses: [https://venue.example]\n")
      assert.match((yield* load).message, /http:\/\/127\.0\.0\.1:1 is not allowed on this machine/)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
