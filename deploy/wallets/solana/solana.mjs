#!/usr/bin/env node
// @ts-check
/**
 * Pays deposits in SOL or in tokens of Solana, with a key file as `solana-keygen` writes it.
 *
 *     { "journal": "solana.sqlite", "rpc": "https://…", "genesisHash": "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
 *       "key": "/etc/limitbot/solana.json",
 *       "assets": { "nep141:sol.omft.near": { "most": "20" },
 *                   "nep141:sol-5ce3bf….omft.near": { "mint": "EPjFWdd5…", "most": "2000" } } }
 *
 * A transaction is executed at most once because of its signature, and never after the block height that its blockhash allows.
 * Nodes drop transactions, so the same bytes are sent until the network has confirmed them or that height is final.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { getTransferSolInstruction } from "@solana-program/system"
import { findAssociatedTokenPda, getCreateAssociatedTokenIdempotentInstructionAsync, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import {
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isAddress,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import { main, Refused, secretIn } from "../payments.mjs"

const solDecimals = 9
const pauseMillis = 2_000

/** @param {import("../payments.mjs").Config} config */
const connect = async ({ genesisHash, key, rpc: url }) => {
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(JSON.parse(secretIn(key))))
  const rpc = createSolanaRpc(url)

  /** @param {import("@solana/kit").Address} to @param {import("../payments.mjs").Payment} payment @param {import("../payments.mjs").AssetTerms} terms */
  const transferOf = async (to, { amount, asset }, { mint, tokenProgram = TOKEN_PROGRAM_ADDRESS }) => {
    if (mint === undefined) {
      if (asset.decimals !== solDecimals) throw new Refused(`SOL has 9 decimals, and ${asset.id} ${asset.decimals}`)
      return [getTransferSolInstruction({ source: signer, destination: to, amount })]
    }
    const token = { mint: address(mint), tokenProgram: address(tokenProgram) }
    const accountOf = async (/** @type {import("@solana/kit").Address} */ owner) => (await findAssociatedTokenPda({ owner, ...token }))[0]
    const [source, destination] = await Promise.all([accountOf(signer.address), accountOf(to)])
    return [
      await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: signer, owner: to, ...token }),
      // The chain refuses it when the mint has other decimals.
      getTransferCheckedInstruction({ source, mint: token.mint, destination, authority: signer, amount, decimals: asset.decimals }, { programAddress: token.tokenProgram })
    ]
  }

  /** `undefined`: the network does not know it. @param {any} signature */
  const statusOf = async (signature) =>
    (await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send()).value[0] ?? undefined

  return {
    /** @type {import("../payments.mjs").Chain["sign"]} */
    sign: async (payment, terms) => {
      const { depositAddress, depositMemo } = payment
      if (depositMemo !== null) throw new Refused("this program pays no deposits with a memo")
      if (!isAddress(depositAddress)) throw new Refused(`${depositAddress} is no address of this chain`)
      const shown = await rpc.getGenesisHash().send()
      if (shown !== genesisHash) throw new Refused(`${url} is the chain of genesis ${shown}, not ${genesisHash}`)
      const instructions = await transferOf(depositAddress, payment, terms)
      const { value: lifetime } = await rpc.getLatestBlockhash().send()
      const message = pipe(
        createTransactionMessage({ version: 0 }),
        (empty) => setTransactionMessageFeePayerSigner(signer, empty),
        (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
        (living) => appendTransactionMessageInstructions(instructions, living)
      )
      const signed = await signTransactionMessageWithSigners(message)
      const bytes = getBase64EncodedWireTransaction(signed)
      const { value: trial } = await rpc.simulateTransaction(bytes, { encoding: "base64", sigVerify: true }).send()
      if (trial.err !== null) throw new Refused(`it would fail: ${JSON.stringify(trial.err, (_, value) => (typeof value === "bigint" ? Number(value) : value))}`)
      return {
        txHash: getSignatureFromTransaction(signed),
        sender: signer.address,
        bytes,
        lastValidBlockHeight: String(lifetime.lastValidBlockHeight),
        text: "fee 0.000005 SOL, and 0.00204 SOL where the token account is new"
      }
    },
    /** @type {import("../payments.mjs").Chain["forget"]} */
    forget: async () => {},
    /** @type {import("../payments.mjs").Chain["send"]} */
    send: async ({ bytes, lastValidBlockHeight, txHash }) => {
      for (;;) {
        const height = await rpc.getBlockHeight({ commitment: "finalized" }).send()
        const status = await statusOf(txHash)
        if (status?.confirmationStatus === "finalized" && status.err !== null) return "never"
        if (status !== undefined && status.err === null && status.confirmationStatus !== "processed") return "sent"
        // The height was read before the status: whatever could still be executed by then is known by now.
        if (status === undefined && height > BigInt(lastValidBlockHeight)) return "never"
        if (status === undefined) {
          // A refusal proves nothing: another node may have taken it before. The status tells.
          const wire = /** @type {import("@solana/kit").Base64EncodedWireTransaction} */ (bytes)
          await rpc.sendTransaction(wire, { encoding: "base64", skipPreflight: true }).send().catch(() => undefined)
          if ((await statusOf(txHash)) !== undefined) continue
        }
        await sleep(pauseMillis)
      }
    }
  }
}

await main(connect)
