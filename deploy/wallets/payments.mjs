// @ts-check
/**
 * What the three wallet programs have in common: the contract with limitbot, the limits, and the journal that makes one deposit
 * leave once. limitbot writes a payment as one JSON object to standard input; the program answers with the transaction.
 *
 * A deposit is known by its asset, address and memo, which the venue gives to one order only. Its signed bytes are in the
 * journal, on disk, before they leave; asked again, the same bytes leave again, and the answer is the same transaction. It is
 * signed anew only where the chain proves that those bytes can never be executed.
 *
 * Exit code 0: paid, the transaction is on standard output. 65: nothing was sent, and nothing that was signed can still be
 * executed. 70: unclear. Everything that a person reads goes to standard error.
 */
import { chmodSync, readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"

/**
 * @typedef {{ readonly reference: string, readonly asset: { readonly symbol: string, readonly id: string, readonly decimals: number },
 *   readonly amount: bigint, readonly depositAddress: string, readonly depositMemo: string | null, readonly deadline: string }} Payment
 * @typedef {{ readonly most: string } & Record<string, any>} AssetTerms  `most`: of one payment, in whole coins
 * @typedef {{ readonly journal: string, readonly assets: Record<string, AssetTerms> } & Record<string, any>} Config
 * @typedef {{ readonly txHash: string, readonly sender: string | null, readonly bytes: string, readonly text: string } & Record<string, any>} Signed
 *   `bytes`: the whole signed transaction; `text`: what it costs, for people
 * @typedef {{ readonly sign: (payment: Payment, terms: AssetTerms, earlier: ReadonlyArray<Signed>) => Promise<Signed>,
 *   readonly send: (signed: Signed) => Promise<"sent" | "never">, readonly forget: (signed: Signed) => Promise<void> }} Chain
 *   `sign` sends nothing, `forget` gives back what it set aside, `earlier` is what may still be executed; `send` may be repeated, fails where nobody knows, and says
 *   `never` only where the bytes can never be executed any more
 */

/** Nothing was sent. */
export class Refused extends Error {}

const exitCodes = { paid: 0, refused: 65, unclear: 70 }
const lockPatienceMillis = 60_000

/** @param {string} path @returns {string} without the line's end */
export const secretIn = (path) => readFileSync(path, "utf8").trim()

/** Whole coins as smallest units, exact. @param {string} text @param {number} decimals @returns {bigint} */
export const unitsOf = (text, decimals) => {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || fraction.length > decimals) throw new Refused(`${text} is no amount with up to ${decimals} decimals`)
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

/** Smallest units as whole coins, exact. @param {bigint} units @param {number} decimals @returns {string} */
export const coinsOf = (units, decimals) => {
  const digits = String(units).padStart(decimals + 1, "0")
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** @param {string} text @returns {Payment} */
const paymentIn = (text) => {
  const { amount, asset, deadline, depositAddress, depositMemo = null, reference, version } = JSON.parse(text)
  const isWhole =
    version === 1 &&
    [reference, depositAddress, deadline, asset?.id, asset?.symbol].every((each) => typeof each === "string" && each !== "") &&
    (depositMemo === null || typeof depositMemo === "string") &&
    Number.isInteger(asset.decimals) &&
    /^[1-9]\d*$/.test(amount)
  if (!isWhole) throw new Refused("what came on standard input is not a payment of version 1")
  return { reference, asset, amount: BigInt(amount), depositAddress, depositMemo, deadline }
}

/** What arrives later is sent back, less fees. @param {Payment} payment */
const isOver = ({ deadline }) => !(Date.parse(deadline) > Date.now())

/** @param {Payment} payment @param {Config} config @returns {AssetTerms} */
const termsOf = (payment, { assets }) => {
  const { amount, asset, deadline } = payment
  const terms = assets[asset.id]
  if (terms === undefined) throw new Refused(`${asset.symbol} (${asset.id}) is not in the configuration of this wallet`)
  if (amount > unitsOf(terms.most, asset.decimals))
    throw new Refused(`${coinsOf(amount, asset.decimals)} ${asset.symbol} are more than the ${terms.most} of one payment`)
  if (isOver(payment)) throw new Refused(`its deadline (${deadline}) is over`)
  return terms
}

/**
 * A row for each transaction that was signed. `dead`: it can never be executed. Other processes wait from `begin` to `commit`.
 * @param {string} path
 */
const journalOf = (path) => {
  const database = new DatabaseSync(path)
  chmodSync(path, 0o600)
  database.exec(`PRAGMA busy_timeout = ${lockPatienceMillis}; PRAGMA synchronous = FULL`)
  database.exec(
    "CREATE TABLE IF NOT EXISTS signed (txHash TEXT PRIMARY KEY, deposit TEXT, reference TEXT, amount TEXT, at TEXT, dead INTEGER, bytes TEXT)"
  )
  const insert = "INSERT INTO signed VALUES (?, ?, ?, ?, ?, 0, ?)"
  return {
    begin: () => database.exec("BEGIN EXCLUSIVE"),
    commit: () => database.exec("COMMIT"),
    close: () => database.close(),
    /** What may still be executed. @returns {ReadonlyArray<{ deposit: string, amount: string, signed: Signed }>} */
    executable: () =>
      database.prepare("SELECT deposit, amount, bytes FROM signed WHERE dead = 0").all().map((row) => ({
        deposit: String(row["deposit"]),
        amount: String(row["amount"]),
        signed: JSON.parse(String(row["bytes"]))
      })),
    /** @param {string} deposit @param {Payment} payment @param {Signed} signed */
    add: (deposit, { amount, reference }, signed) => {
      const at = new Date().toISOString()
      database.prepare(insert).run(signed.txHash, deposit, reference, String(amount), at, JSON.stringify(signed))
    },
    /** @param {Signed} signed */
    bury: ({ txHash }) => database.prepare("UPDATE signed SET dead = 1 WHERE txHash = ?").run(txHash)
  }
}

const standardInput = async () => {
  let text = ""
  for await (const part of process.stdin.setEncoding("utf8")) text += part
  return text
}

/** @param {string} text */
const tell = (text) => process.stderr.write(`${text}\n`)

/** Failures of what comes before any signed byte exists mean that nothing was sent. @template T @param {() => Promise<T>} before @returns {Promise<T>} */
const refusing = async (before) => {
  try {
    return await before()
  } catch (error) {
    throw new Refused(error instanceof Error ? error.message : String(error))
  }
}

/** @param {Payment} payment @param {Config} config @param {(config: Config) => Promise<Chain>} connect @param {boolean} isDryRun @returns {Promise<Signed>} */
const pay = async (payment, config, connect, isDryRun) => {
  const { amount, asset, depositAddress, depositMemo } = payment
  const deposit = JSON.stringify([asset.id, depositAddress, depositMemo])
  const what = `${coinsOf(amount, asset.decimals)} ${asset.symbol} to ${depositAddress}`
  const journal = journalOf(config.journal)
  try {
    journal.begin()
    const executable = journal.executable()
    const earlier = executable.find((each) => each.deposit === deposit)
    if (earlier !== undefined) {
      const { signed } = earlier
      journal.commit()
      if (earlier.amount !== String(amount))
        throw new Error(`${depositAddress} was paid ${earlier.amount} in ${signed.txHash}, and now ${amount} is asked for`)
      if (isDryRun) throw new Error(`${what} was signed before, as ${signed.txHash}`)
      if (isOver(payment)) throw new Error(`its deadline is over, and ${signed.txHash} was signed for it: see whether it was executed`)
      tell(`${what}: sends transaction ${signed.txHash} again`)
      const chain = await connect(config)
      if ((await chain.send(signed)) === "sent") return signed
      journal.bury(signed)
      throw new Refused(`${signed.txHash} can never be executed; asked again, it is paid anew`)
    }
    const { chain, signed } = await refusing(async () => {
      const terms = termsOf(payment, config)
      const chain = await connect(config)
      const signed = await chain.sign(payment, terms, executable.map((each) => each.signed))
      if (!isDryRun) return { chain, signed }
      await chain.forget(signed)
      throw new Refused(`dry run: would pay ${what} (${signed.text})`)
    })
    journal.add(deposit, payment, signed)
    journal.commit()
    tell(`${what} (${signed.text}): sends transaction ${signed.txHash}`)
    if ((await chain.send(signed)) === "sent") return signed
    journal.bury(signed)
    throw new Refused(`${signed.txHash} can never be executed`)
  } finally {
    journal.close()
  }
}

/** Runs a wallet program. @param {(config: Config) => Promise<Chain>} connect */
export const main = async (connect) => {
  const options = /** @type {const} */ ({ config: { type: "string" }, "dry-run": { type: "boolean" } })
  let code = exitCodes.refused
  try {
    const { values } = parseArgs({ options })
    if (values.config === undefined) throw new Refused("--config FILE is missing")
    const config = JSON.parse(readFileSync(values.config, "utf8"))
    if (typeof config.journal !== "string" || typeof config.assets !== "object")
      throw new Refused(`${values.config}: journal and assets are missing`)
    const payment = paymentIn(await standardInput())
    code = exitCodes.unclear
    const { sender, txHash } = await pay(payment, config, connect, values["dry-run"] === true)
    process.stdout.write(`${JSON.stringify({ txHash, sender })}\n`)
    code = exitCodes.paid
  } catch (error) {
    if (error instanceof Refused) code = exitCodes.refused
    tell(error instanceof Error ? error.message : String(error))
  }
  process.exitCode = code
}
