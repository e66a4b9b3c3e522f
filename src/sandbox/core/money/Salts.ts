/**
 * The salts of the verifiers' nonces: four bytes each, another value after every rotation. The verifier of logins takes only
 * the present one; what it signs for is told by a public view of the verifier.
 */
import { signedDeposits } from "../../../venue/profile/Facts.ts"
import { factsOf } from "../../../venue/VenueConfig.ts"
import * as Seeded from "../Seeded.ts"
import type { State } from "../State.ts"

export const saltOf = ({ saltRotations, settings }: State, verifier: string): string =>
  Seeded.hex(settings.seed, "salt", verifier, saltRotations).slice(0, 8)

/** By verifier. */
export const present = (state: State): Readonly<Record<string, string>> => {
  const { login, signing } = factsOf(state.settings)
  const verifiers = new Set([login.verifier, ...signedDeposits.map((each) => signing[each].verifier)])
  return Object.fromEntries([...verifiers].map((verifier) => [verifier, saltOf(state, verifier)]))
}
