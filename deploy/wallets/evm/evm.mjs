#!/usr/bin/env node
// @ts-check
/**
 * Pays deposits in the coin or in ERC-20 tokens of one EVM chain, with a key in a file.
 *
 *     { "journal": "base.sqlite", "rpc": "https://…", "chainId": 8453, "key": "/etc/limitbot/base.key", "mostFee": "0.0005",
 *       "assets": { "nep141:base-0x8335….omft.near": { "token": "0x8335…", "most": "2000" },
 *                   "nep141:base.omft.near": { "most": "0.5" } } }
 *
 * A transaction is executed at most once because of its nonce. One whose nonce a finalized block has used for another is dead.
 */
import { createPublicClient, encodeFunctionData, erc20Abi, formatEther, http, isAddress, isAddressEqual, keccak256, parseEther, parseTransaction } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { main, Refused, secretIn } from "../payments.mjs"

/** @param {import("../payments.mjs").Config} config */
const connect = async ({ chainId, key, mostFee, rpc }) => {
  const secret = secretIn(key)
  const account = privateKeyToAccount(/** @type {`0x${string}`} */ (secret.startsWith("0x") ? secret : `0x${secret}`))
  const client = createPublicClient({ transport: http(rpc, { retryCount: 0, timeout: 30_000 }) })
  /** Some development nodes know no finalized block. */
  const usedNonces = () =>
    client
      .getTransactionCount({ address: account.address, blockTag: "finalized" })
      .catch(() => 0)

  return {
    /** @type {import("../payments.mjs").Chain["sign"]} */
    sign: async ({ amount, asset, depositAddress, depositMemo }, { token }, earlier) => {
      if (depositMemo !== null) throw new Refused("a transaction of this chain has no memo")
      if (!isAddress(depositAddress)) throw new Refused(`${depositAddress} is no address of this chain`)
      const shown = await client.getChainId()
      if (shown !== chainId) throw new Refused(`${rpc} is chain ${shown}, not ${chainId}`)
      const decimals = token === undefined ? 18 : await client.readContract({ address: token, abi: erc20Abi, functionName: "decimals" })
      if (decimals !== asset.decimals) throw new Refused(`${token ?? "the coin"} has ${decimals} decimals, and ${asset.id} ${asset.decimals}`)
      const transfer =
        token === undefined
          ? { to: depositAddress, value: amount }
          : { to: token, value: 0n, data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [depositAddress, amount] }) }
      const pending = await client.getTransactionCount({ address: account.address, blockTag: "pending" })
      // What was signed and may not have left yet keeps its nonce.
      const nonce = Math.max(pending, ...earlier.map((each) => each["nonce"] + 1))
      const [gas, fees] = await Promise.all([client.estimateGas({ account, ...transfer }), client.estimateFeesPerGas()])
      const fee = gas * fees.maxFeePerGas
      if (fee > parseEther(mostFee)) throw new Refused(`its fee of up to ${formatEther(fee)} is above ${mostFee}`)
      const bytes = await account.signTransaction({ type: "eip1559", chainId, nonce, gas, ...fees, ...transfer })
      const signed = parseTransaction(bytes)
      if (!signed.to || !isAddressEqual(signed.to, transfer.to)) throw new Refused("what was signed is not what was meant")
      return { txHash: keccak256(bytes), sender: account.address, bytes, nonce, text: `fee of at most ${formatEther(fee)}, nonce ${nonce}` }
    },
    /** @type {import("../payments.mjs").Chain["forget"]} */
    forget: async () => {},
    /** @type {import("../payments.mjs").Chain["send"]} */
    send: async ({ bytes, nonce, txHash }) => {
      const hash = /** @type {`0x${string}`} */ (txHash)
      const isKnown = async () => (await client.getTransaction({ hash }).catch(() => undefined)) !== undefined
      try {
        await client.sendRawTransaction({ serializedTransaction: /** @type {`0x${string}`} */ (bytes) })
        return "sent"
      } catch (error) {
        if (await isKnown()) return "sent"
        // Once a finalized block has used the nonce, and not for this transaction, no later block can execute it.
        if ((await usedNonces()) > nonce && !(await isKnown())) return "never"
        throw error
      }
    }
  }
}

await main(connect)
