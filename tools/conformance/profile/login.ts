/** Logins: which contract they are signed for, what their nonces have to say, and the salts that change. */
import { randomBytes } from "node:crypto"
import type { VenueFacts } from "../../../src/venue/profile/Facts.ts"
import { mustBeRefused } from "../Refusals.ts"
import * as Scenes from "../Scenes.ts"
import { cannotShow, same, that } from "../Seen.ts"
import { nonceOf } from "../signing.ts"
import type { Answer, LoginChanges, World } from "../World.ts"
import type { FactRow } from "./FactRow.ts"

const isStarted = ({ login }: VenueFacts): boolean => login.nonce === "started"
const isFree = (facts: VenueFacts): boolean => !isStarted(facts)
const opens = (answer: Answer): string => {
  that(answer.status < 300, `it is answered ${answer.status} ${answer.text.slice(0, 200)}`)
  return `${answer.status}`
}
const oldForm = () => randomBytes(32).toString("base64")

/** Far enough from the border for the service's clock, which is told in whole seconds, and for the way there. */
const marginSeconds = 15
const withinOf = ({ facts }: World) =>
  facts.login.startsWithinSeconds ?? cannotShow("the facts do not say how far a start may be")
const starting = async (world: World, offsetSeconds: number) => {
  // Every answer tells the service's time anew.
  await world.get("/v0/tokens", "nobody")
  return world.authenticate({ span: { startsAt: world.serviceNow() + offsetSeconds * 1000 } })
}

const starts: ReadonlyArray<readonly [name: string, what: string, offset: (world: World) => number, isGood: boolean]> =
  [
    ["earliest", "a start as long ago as is allowed", (of) => -withinOf(of).before + marginSeconds, true],
    ["latest", "a start as far ahead as is allowed", (of) => withinOf(of).after - marginSeconds, true],
    ["too early", "a start longer ago than is allowed", (of) => -withinOf(of).before - marginSeconds, false],
    ["too late", "a start further ahead than is allowed", (of) => withinOf(of).after + marginSeconds, false]
  ]

const salted = (name: string, sentence: string, changes: (world: World) => Promise<LoginChanges>): FactRow => ({
  fact: "salts",
  name,
  sentence,
  applies: isStarted,
  look: async (world) => {
    opens(await world.session())
    return mustBeRefused(await world.authenticate(await changes(world)))
  }
})

export const loginRows: ReadonlyArray<FactRow> = [
  {
    fact: "login.verifier",
    name: "opens",
    sentence: "A login for this contract opens a session",
    look: async (world) => opens(await world.authenticate())
  },
  {
    fact: "login.verifier",
    name: "other",
    sentence: "A login for the contract of confidential payments is refused",
    applies: ({ login, signing }) => signing.CONFIDENTIAL_INTENTS.verifier !== login.verifier,
    look: async (world) => {
      const { verifier } = world.facts.signing.CONFIDENTIAL_INTENTS
      return mustBeRefused(await world.authenticate({ recipient: verifier }))
    }
  },
  {
    fact: "login.nonce",
    name: "any",
    sentence: "A nonce of any 32 bytes does for a login",
    applies: isFree,
    look: async (world) => opens(await world.authenticate({ nonce: oldForm() }))
  },
  {
    fact: "login.nonce",
    name: "old",
    sentence: "A login whose nonce has neither salt nor start is refused",
    applies: isStarted,
    look: async (world) => mustBeRefused(await world.authenticate({ nonce: oldForm() }))
  },
  {
    fact: "login.nonce",
    name: "no start",
    sentence: "A login whose nonce has a salt and no start is refused",
    applies: isStarted,
    look: async (world) => {
      const salt = await world.salt(world.facts.login.verifier)
      const nonce = nonceOf({ salt, endsAt: world.serviceNow() + 600_000, startsAt: 0 })
      return mustBeRefused(await world.authenticate({ nonce }))
    }
  },
  {
    fact: "login.nonce",
    name: "ended",
    sentence: "A login whose nonce ends before its message is refused",
    applies: isStarted,
    look: async (world) => mustBeRefused(await world.authenticate({ span: { endsAt: world.serviceNow() - 60_000 } }))
  },
  ...starts.map(
    ([name, what, offset, isGood]): FactRow => ({
      fact: "login.startsWithinSeconds",
      name,
      sentence: `A login with ${what} is ${isGood ? "taken" : "refused"}`,
      applies: isStarted,
      look: async (world) => {
        const answer = await starting(world, offset(world))
        return isGood ? opens(answer) : mustBeRefused(answer)
      }
    })
  ),
  salted("wrong", "A login with a salt that is nobody's is refused", async (world) => {
    const known = await world.salt(world.facts.login.verifier)
    return { span: { salt: known === "00000000" ? "00000001" : "00000000" } }
  }),
  {
    ...salted("other", "A login with the salt of the other verifier is refused", async (world) => {
      const { login, signing } = world.facts
      const [own, other] = [await world.salt(login.verifier), await world.salt(signing.CONFIDENTIAL_INTENTS.verifier)]
      return own === other ? cannotShow("both have one salt") : { span: { salt: other } }
    }),
    applies: (facts) => isStarted(facts) && facts.signing.CONFIDENTIAL_INTENTS.verifier !== facts.login.verifier
  }
]

/** Afterwards every nonce of before is worth nothing: nothing else may be under way. */
export const rotationRows: ReadonlyArray<FactRow> = [
  {
    fact: "salts",
    name: "rotated",
    sentence: "After a rotation a login with the old salt is refused, and one with the new salt is taken",
    applies: isStarted,
    look: async (world) => {
      await world.needSandbox()
      await Scenes.past(world)
      const { verifier } = world.facts.login
      const before = await world.salt(verifier)
      const told = await world.request("POST", "/sandbox/salts", { as: "nobody" })
      if (told.status >= 300) return cannotShow(`this sandbox rotates no salts: ${told.status}`)
      const after = await world.salt(verifier)
      that(before !== after, `it is ${before} as before`)
      mustBeRefused(await world.authenticate({ span: { salt: before } }))
      opens(await world.authenticate())
      return `${before}, then ${after}`
    }
  },
  {
    fact: "login.verifier",
    name: "refresh",
    sentence: "A session outlives the salt that it was opened with",
    applies: isStarted,
    look: async (world) => {
      const answer = await world.get("/v0/account/balances", "user")
      if (answer.status === 403) return cannotShow("the account is not invited")
      same(answer.status, 200, "status")
      return undefined
    }
  }
]
