/**
 * One asset, several spellings: a service may answer with another than the one that it was asked with. Ids are compared in
 * their canonical form. It is known where both name the same token of the home ledger (`1cs_v1:near:nep141:wrap.near` is
 * `nep141:wrap.near`), and otherwise only said by the configuration: which bridge a coin of another chain came by is not in its
 * name, so nothing is guessed.
 */
import { ledgers } from "./WireValue.ts"

/** The canonical id by each other spelling. */
export type AssetSpellings = ReadonlyMap<string, string>

const onLedger = new RegExp(`^1cs_v1:(?:${ledgers.join("|")}):(nep141|nep245):(.+)$`)

export const canonicalAssetId = (spellings: AssetSpellings | undefined, id: string): string => {
  const known = spellings?.get(id)
  if (known !== undefined) return known
  const [, standard, reference] = onLedger.exec(id) ?? []
  if (standard === undefined || reference === undefined) return id
  const plain = `${standard}:${reference.replaceAll("%3A", ":").replaceAll("%3a", ":")}`
  return spellings?.get(plain) ?? plain
}
