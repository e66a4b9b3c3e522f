/** Salts of nonces: four bytes, new after each rotation, at first those of the facts. A verifier accepts only the present salt. */
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
