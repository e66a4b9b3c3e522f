#!/usr/bin/env node
// @ts-check
/**
 * Pays deposits in bitcoin by the wallet of a Bitcoin Core node. Needs nothing but Node. The key stays in the node; this program
 * sees only what it signs, and looks whether that pays the deposit and nobody else.
 *
 *     { "journal": "bitcoin.sqlite", "rpc": "http://127.0.0.1:8332", "wallet": "bot", "cookie": "/var/lib/bitcoind/.cookie",
 *       "confirmWithinBlocks": 3, "mostFee": "0.0002",
 *       "assets": { "nep141:btc.omft.near": { "most": "0.05" } } }
 *
 * Source of the calls: the help texts of Bitcoin Core's RPC (walletcreatefundedpsbt, walletprocesspsbt, finalizepsbt,
 * decoderawtransaction, sendrawtransaction, gettransaction).
 */
import { coinsOf, main, Refused, secretIn, unitsOf } from "./payments.mjs"

const decimals = 8
/** A transaction whose inputs another one has spent for so many blocks is never executed. */
const finalBlocks = 6
/** The node has it already, in a block or in its pool. */
const alreadyKnown = -27

class NodeError extends Error {
  /** @param {number} code @param {string} text */
  constructor(code, text) {
    super(text)
    this.code = code
  }
}

/** @param {import("./payments.mjs").Config} config */
const connect = async ({ confirmWithinBlocks = 3, cookie, mostFee, rpc, wallet }) => {
  const authorization = `Basic ${Buffer.from(secretIn(cookie)).toString("base64")}`
  /** @param {string} method @param {ReadonlyArray<unknown>} params @returns {Promise<any>} */
  const call = async (method, ...params) => {
    const response = await fetch(`${rpc}/wallet/${encodeURIComponent(wallet)}`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "1.0", id: "limitbot", method, params }),
      signal: AbortSignal.timeout(60_000)
    })
    const text = await response.text()
    if (response.status === 401) throw new Error(`${rpc} does not accept ${cookie}`)
    const { error, result } = JSON.parse(text)
    if (error) throw new NodeError(error.code, `${method}: ${error.message}`)
    return result
  }

  /** @param {any} transaction @param {any} change @param {string} address @param {bigint} amount */
  const check = (transaction, change, address, amount) => {
    const paid = transaction.vout.filter((/** @type {any} */ { scriptPubKey }) => scriptPubKey.address === address)
    const others = transaction.vout.length - paid.length
    // JSON numbers of at most 8 decimals are exact to a satoshi once they are rounded.
    const units = paid.reduce((/** @type {bigint} */ total, /** @type {any} */ { value }) => total + BigInt(Math.round(value * 1e8)), 0n)
    if (units !== amount || others > (change < 0 ? 0 : 1))
      throw new Refused(`the node made a transaction that pays ${coinsOf(units, decimals)} to ${address} and ${others} others`)
  }

  return {
    /** @type {import("./payments.mjs").Chain["sign"]} */
    sign: async ({ amount, asset, depositAddress, depositMemo }) => {
      if (depositMemo !== null) throw new Refused("bitcoin has no memo")
      if (asset.decimals !== decimals) throw new Refused(`bitcoin has 8 decimals, and ${asset.id} ${asset.decimals}`)
      const known = await call("validateaddress", depositAddress)
      if (!known.isvalid) throw new Refused(`${depositAddress} is no address of this chain`)
      const outputs = [{ [depositAddress]: coinsOf(amount, decimals) }]
      const options = { lockUnspents: true, conf_target: confirmWithinBlocks }
      const funded = await call("walletcreatefundedpsbt", [], outputs, 0, options)
      const { tx } = await call("decodepsbt", funded.psbt)
      const coins = tx.vin.map((/** @type {any} */ { txid, vout }) => ({ txid, vout }))
      try {
        const fee = BigInt(Math.round(funded.fee * 1e8))
        if (fee > unitsOf(mostFee, decimals))
          throw new Refused(`its fee of ${coinsOf(fee, decimals)} BTC is above ${mostFee}`)
        const { psbt } = await call("walletprocesspsbt", funded.psbt)
        const { complete, hex } = await call("finalizepsbt", psbt)
        if (!complete) throw new Refused("the node's wallet cannot sign it")
        const transaction = await call("decoderawtransaction", hex)
        check(transaction, funded.changepos, depositAddress, amount)
        return { txHash: transaction.txid, sender: null, bytes: hex, coins, text: `fee ${coinsOf(fee, decimals)} BTC` }
      } catch (error) {
        await call("lockunspent", true, coins)
        throw error
      }
    },
    /** @type {import("./payments.mjs").Chain["forget"]} */
    forget: ({ coins }) => call("lockunspent", true, coins),
    /** @type {import("./payments.mjs").Chain["send"]} */
    send: async ({ bytes, txHash }) => {
      try {
        await call("sendrawtransaction", bytes)
        return "sent"
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
        if (error.code === alreadyKnown) return "sent"
        const known = await call("gettransaction", txHash).catch(() => undefined)
        if (known !== undefined && known.confirmations >= 0) return "sent"
        if (known !== undefined && known.confirmations <= -finalBlocks) return "never"
        throw error
      }
    }
  }
}

await main(connect)
