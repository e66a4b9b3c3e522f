/**
 * The salts of the verifiers' nonces: four bytes each, another value after every rotation. A verifier accepts only the present salt, which
 * a public view of it returns. The first salt is the one in the facts, if they have one.
 */
import { signedDeposits } from "../../signing/Domains.ts"
import { factsOf } from "../../venue/VenueConfig.ts"
import * as Seeded from "../Seeded.ts"
import type { State } from "./State.ts"

export const saltOf = ({ saltRotations, settings }: State, verifier: string): string =>
  (saltRotations === 0 ? factsOf(settings).salts[verifier] : undefined) ??
  Seeded.hex(settings.seed, "salt", verifier, saltRotations).slice(0, 8)

export const present = (state: State): Readonly<Record<string, string>> => {
  const { login, signing } = factsOf(state.settings)
  const verifiers = new Set([login.verifier, ...signedDeposits.map((each) => signing[each].verifier)])
  return Object.fromEntries([...verifiers].map((verifier) => [verifier, saltOf(state, verifier)]))
}
