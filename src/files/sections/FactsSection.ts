/** Reads `venue.profile` and `venue.facts`. The signer process has the same keys in its own file, because it trusts no bot. */
import * as Decimal from "../../domain/Decimal.ts"
import { present } from "../../domain/Present.ts"
import * as Read from "../../strategy/Fields.ts"
import { share } from "../../strategy/kinds/PriceLevels.ts"
import { VenueFacts } from "../../venue/profile/Facts.ts"
import { defaultProfile, factsOf, type ProfileName, profileNames } from "../../venue/profile/Profiles.ts"
import { confidentialities } from "../../venue/wire/WireValue.ts"

export const account = Read.matching("an account id in lower case", /^[a-z0-9][a-z0-9._-]{1,63}$/)
export const salt = Read.matching("four bytes in hex, such as 252812b3", /^[0-9a-f]{8}$/)
const treasury = Read.matching("64 digits in hex, or none", /^(?:[0-9a-f]{64}|none)$/)
const rpc = Read.matching("an address such as https://rpc.example.org", /^https?:\/\/[^\s"']{1,300}$/)
const chain = Read.matching("the word of a chain, such as bsc", /^[a-z0-9_-]{1,32}$/)
const basisPoints = Read.mapped(share(Read.ratioOrZero), (ratio) => Decimal.toNumber(ratio) * 10_000)
const usd = Read.mapped(Read.price, Decimal.toNumber)

const facts = VenueFacts.fields
const [fee, order] = [facts.fees.fields, facts.orders.fields]
const word = <const T extends string>({ literals }: { readonly literals: ReadonlyArray<T> }) => Read.oneOf(...literals)

const byName = <A>(readName: Read.Reader<string>, read: Read.Reader<A>): Read.Reader<Readonly<Record<string, A>>> =>
  Read.mapped(Read.table(readName, read), (rows) =>
    Object.fromEntries(rows.map(([{ value: name }, { value }]) => [name, value]))
  )

export const profile = (says: string) => Read.withDefault(Read.oneOf(...profileNames), defaultProfile, says)

export const reader = Read.section({
  confidentialVerifier: Read.optional(account, "contract that executes payments of confidential accounts"),
  treasury: Read.optional(treasury, "issuer of the tokens there; `none`: tokens have their public ids"),
  loginVerifier: Read.optional(account, "contract that logins are signed for", "verifier"),
  loginNonce: Read.optional(word(facts.login.fields.nonce), "`started`: logins carry the start of their validity"),
  loginWithin: Read.optional(
    Read.mapped(
      Read.section({
        before: Read.required(Read.duration, "how long ago at most"),
        after: Read.required(Read.duration, "how far ahead at most")
      }),
      ({ after, before }) => ({ before: before / 1000, after: after / 1000 })
    ),
    "how far the start of a login may be from the service's time"
  ),
  salts: Read.optional(byName(account, salt), "by verifier, until they rotate; that of logins is venue.nonceSalt"),
  saltFrom: Read.optional(rpc, "RPC address of the login verifier's ledger, the source of its salt"),
  fees: Read.optional(
    Read.section({
      credential: Read.optional(word(fee.credential), "which setting is a partner's credential"),
      withoutPartner: Read.optional(basisPoints, "fee without a partner's credential, on top of all others"),
      withPartner: Read.optional(basisPoints, "fee with a partner's credential and without app fees"),
      alike: Read.optional(basisPoints, "the fee between stable assets, or for one asset between two places"),
      stable: Read.optional(Read.plainList(Read.text), "symbols of stable assets"),
      settlement: Read.optional(basisPoints, "fee of each settlement"),
      appFees: Read.optional(word(fee.appFees), "`shared`: the service keeps half"),
      improvement: Read.optional(
        Read.section({
          kept: Read.optional(Read.mapped(share(Read.ratioOrZero), Decimal.toNumber), "share that the service keeps"),
          minutes: Read.optional(Read.integer(0, 1_000_000), "how long after the quote it is kept")
        }),
        "the amount a swap pays above its quote"
      ),
      flat: Read.optional(word(fee.flat), "`chains`: payouts and refunds inside the service are free"),
      fillsNet: Read.optional(Read.trueOrFalse, "whether fills name their output after the echoed fee, below the limit")
    }),
    "the service's fees"
  ),
  orders: Read.optional(
    Read.section({
      confidentialities: Read.optional(Read.plainList(Read.oneOf(...confidentialities)), "those that orders may have"),
      minUsd: Read.optional(usd, "the smallest order in USD"),
      chainMinUsd: Read.optional(byName(chain, usd), "the smallest order that is paid from or to a chain"),
      quotes: Read.optional(word(order.quotes), "`as-orders`: price quotes ask for what their orders ask for"),
      tooSmall: Read.optional(word(order.tooSmall), "the code that refuses an order below the smallest one")
    }),
    "what the service requires of orders"
  ),
  settlementHashes: Read.optional(Read.trueOrFalse, "whether swaps name the public transaction that settled them"),
  crossingHashes: Read.optional(Read.trueOrFalse, "whether swaps name the transactions to the other ledger and back"),
  advancedStatus: Read.optional(word(facts.advancedStatus), "`bare`: an advanced swap may report only its state"),
  movesBetweenAccounts: Read.optional(Read.trueOrFalse, "whether an asset can be swapped into itself"),
  accountHistory: Read.optional(word(facts.accountHistory), "whether the account may read its own history")
})

interface Said {
  readonly profile: ProfileName
  readonly verifier: string | undefined
  readonly nonceSalt?: string | undefined
  readonly facts: ReturnType<typeof reader>
}

export const resolved = ({ facts: said, nonceSalt, profile, verifier }: Said, usual: string): VenueFacts => {
  const of = factsOf(profile, verifier ?? usual)
  const { CONFIDENTIAL_INTENTS: confidential, INTENTS } = of.signing
  const { accountHistory, advancedStatus, crossingHashes, movesBetweenAccounts, saltFrom, settlementHashes } =
    said ?? {}
  const { fees, loginNonce: nonce, loginVerifier, loginWithin: startsWithinSeconds, orders, salts } = said ?? {}
  const issuer = said?.treasury ?? confidential.treasury
  const login = { ...of.login, ...present({ verifier: loginVerifier, nonce, startsWithinSeconds }) }
  return {
    ...of,
    ...present({ saltFrom, settlementHashes, crossingHashes, advancedStatus, movesBetweenAccounts, accountHistory }),
    signing: {
      INTENTS,
      CONFIDENTIAL_INTENTS: {
        verifier: said?.confidentialVerifier ?? confidential.verifier,
        ...present({ treasury: issuer === "none" ? undefined : issuer })
      }
    },
    login,
    salts: { ...of.salts, ...salts, ...(nonceSalt === undefined ? {} : { [login.verifier]: nonceSalt }) },
    orders: {
      ...of.orders,
      ...(orders && present(orders)),
      chainMinUsd: { ...of.orders.chainMinUsd, ...orders?.chainMinUsd }
    },
    fees: {
      ...of.fees,
      ...(fees && present(fees)),
      improvement: { ...of.fees.improvement, ...(fees?.improvement && present(fees.improvement)) }
    }
  }
}
