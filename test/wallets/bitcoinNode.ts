/**
 * A Bitcoin node with one wallet, as its RPC shows it: coins, transactions that spend them, a pool and blocks. A transaction is
 * JSON here; its id is a digest of it, so the same bytes have the same id. Written from the help texts of Bitcoin Core's RPC.
 */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

interface Transaction {
  readonly inputs: ReadonlyArray<string>
  readonly outputs: ReadonlyArray<{ readonly address: string; readonly value: number }>
}

const idOf = (hex: string): string => createHash("sha256").update(hex).digest("hex")
const hexOf = (transaction: Transaction): string => Buffer.from(JSON.stringify(transaction)).toString("hex")
const read = (hex: string): Transaction => JSON.parse(Buffer.from(hex, "hex").toString())

class Refusal extends Error {
  readonly code: number
  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }
}

export const start = async () => {
  const coins = new Set(["coin-1", "coin-2", "coin-3"])
  const locked = new Set<string>()
  const spentBy = new Map<string, string>()
  const pool = new Map<string, Transaction>()
  /** How deep another transaction with the same inputs is in the chain. */
  const conflicts = new Map<string, number>()
  const behaviour = { fee: 0.0000141, pays: undefined as string | undefined, dies: false, answers: true }
  const asked: Array<string> = []

  const methods: Record<string, (first: string, second: ReadonlyArray<Record<string, string>>) => unknown> = {
    validateaddress: (address: string) => ({ isvalid: address.startsWith("bc1") }),
    walletcreatefundedpsbt: (_inputs, [output]) => {
      const free = [...coins].find((coin) => !locked.has(coin) && !spentBy.has(coin))
      if (free === undefined) throw new Refusal(-4, "Insufficient funds")
      locked.add(free)
      const [[address = "", value = ""] = []] = Object.entries(output ?? {})
      const outputs = [
        { address: behaviour.pays ?? address, value: Number(value) },
        { address: "bc1change", value: 0.5 }
      ]
      return { psbt: hexOf({ inputs: [free], outputs }), fee: behaviour.fee, changepos: 1 }
    },
    decodepsbt: (psbt: string) => ({ tx: { vin: read(psbt).inputs.map((txid) => ({ txid, vout: 0 })) } }),
    lockunspent: (_isUnlock, outputs) => outputs.every(({ txid = "" }) => locked.delete(txid)),
    walletprocesspsbt: (psbt: string) => ({ psbt, complete: true }),
    finalizepsbt: (psbt: string) => ({ hex: psbt, complete: true }),
    decoderawtransaction: (hex: string) => ({
      txid: idOf(hex),
      vout: read(hex).outputs.map(({ address, value }) => ({ value, scriptPubKey: { address } }))
    }),
    sendrawtransaction: (hex: string) => {
      const id = idOf(hex)
      if (behaviour.dies) return undefined
      const transaction = read(hex)
      if (transaction.inputs.some((coin) => (spentBy.get(coin) ?? id) !== id))
        throw new Refusal(-25, "bad-txns-inputs-missingorspent")
      for (const coin of transaction.inputs) spentBy.set(coin, id)
      pool.set(id, transaction)
      return behaviour.answers ? id : undefined
    },
    gettransaction: (id: string) => {
      const depth = conflicts.get(id)
      if (depth !== undefined) return { confirmations: -depth }
      if (pool.has(id)) return { confirmations: 1 }
      throw new Refusal(-5, "Invalid or non-wallet transaction id")
    }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ""
    for await (const part of request) body += part
    const { method, params } = JSON.parse(body)
    const [first, second] = params
    asked.push(method)
    if (request.headers.authorization !== `Basic ${Buffer.from("user:secret").toString("base64")}`)
      return void response.writeHead(401).end()
    try {
      const result = methods[method]?.(first, second)
      if (result === undefined) request.socket.destroy()
      else response.end(JSON.stringify({ result, error: null, id: "limitbot" }))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      response.writeHead(500).end(JSON.stringify({ result: null, error: { code: error.code, message: error.message } }))
    }
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaviour,
    asked,
    locked,
    /** What left the wallet, by address. */
    paid: () => [...pool.values()].flatMap(({ outputs }) => outputs.filter(({ address }) => address !== "bc1change")),
    /** Somebody else has spent the inputs of that transaction, so many blocks ago. */
    conflict: (id: string, depth: number) => {
      conflicts.set(id, depth)
      for (const coin of coins) spentBy.set(coin, "another")
      coins.add(`coin-${coins.size + 1}`)
    },
    stop: () => server.close()
  }
}
