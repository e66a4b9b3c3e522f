/**
 * Compares asset ids in canonical form, because a service may answer with another spelling than the requested one. That form is known if
 * both spellings name the same token of the home ledger (`1cs_v1:near:nep141:wrap.near` is `nep141:wrap.near`). Otherwise only the
 * configuration can name it: an id does not show which bridge brought a coin from another chain, so nothing is guessed.
 */
import { ledgers } from "./WireValue.ts"

/** Maps every other spelling to the canonical id. */
export type AssetSpellings = ReadonlyMap<string, string>

const onLedger = new RegExp(`^1cs_v1:(?:${ledgers.join("|")}):(nep141|nep245):(.+)$`)

export const canonicalAssetId = (spellings: AssetSpellings | undefined, id: string): string => {
  const canonical = spellings?.get(id)
  if (canonical !== undefined) return canonical
  const [, standard, reference] = onLedger.exec(id) ?? []
  if (standard === undefined || reference === undefined) return id
  const plain = `${standard}:${reference.replaceAll("%3A", ":").replaceAll("%3a", ":")}`
  return spellings?.get(plain) ?? plain
}
