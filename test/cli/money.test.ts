/**
 * The books of a bot that traded on a sandbox, at the command line: profit, money and exports agree with the sandbox's own
 * books, and the programs that read exports accept them. Where one of those is not installed, its test says so and is skipped.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import { parquetRowsOf } from "../ledger/parquet.ts"
import {
  type Connection,
  control,
  gridText,
  runHere,
  startHere,
  startStill,
  workspace
} from "../world/processes/program.ts"

const config = ["--config", "config.yaml"]
/** Where programs of other people may be, beside the usual places. */
const path = [process.env["LIMITBOT_ORACLES"], process.env["PATH"]].filter(Boolean).join(":")
const has = (program: string) =>
  spawnSync(program, ["--help"], { env: { PATH: path }, cwd: tmpdir() }).error === undefined

let cwd = ""
let connection: Connection

const json = async <A>(...args: ReadonlyArray<string>): Promise<A> => {
  const { stdout, stderr, code } = await runHere([...args, ...config, "--json"], { cwd })
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
}

const exported = async (format: string, out: string, ...more: ReadonlyArray<string>): Promise<string> => {
  const { stderr, code } = await runHere(["export", "--format", format, "--out", out, ...more, ...config], { cwd })
  assert.strictEqual(code, 0, stderr)
  return join(cwd, out)
}

interface Books {
  readonly accounts: Record<string, Record<string, Record<string, string>>>
}

interface Figures {
  readonly gridProfit: string
  readonly inventory: string
  readonly realised: string
  readonly unrealised: string
  readonly fees: string
  readonly flows: string
  readonly total: string
  readonly groups?: ReadonlyArray<Figures>
}

describe("the books of a bot", () => {
  beforeAll(async () => {
    connection = await startStill()
    cwd = workspace(connection)
    const bot = startHere(["run", "grid.yaml", ...config, "--json", "--poll", "0.3s", "--cancel-on-exit"], { cwd })
    await bot.says('"DepositSeen"', 20)
    await control(connection, "prices", { "BTC/USDC": 59_850 })
    await bot.says('"DepositSeen"', 22)
    await control(connection, "prices", { "BTC/USDC": 60_250 })
    await bot.says('"PaidOut"', 5)
    bot.signal("SIGTERM")
    const { code, stderr } = await bot.ended
    assert.strictEqual(code, 0, stderr)
  })

  it("show the same profit in every breakdown, and the parts add up", async () => {
    const { USDC } = await json<{ USDC: Figures }>("profit")
    const units = (text: string) => Math.round(Number(text) * 1e6)
    assert.strictEqual(units(USDC.total), units(USDC.realised) + units(USDC.unrealised) - units(USDC.fees))
    assert.strictEqual(units(USDC.total), units(USDC.gridProfit) + units(USDC.inventory) - units(USDC.fees))
    assert.strictEqual(USDC.flows, "6000")
    for (const by of ["strategy", "slot", "day", "asset"]) {
      const { groups = [] } = (await json<{ USDC: Figures }>("profit", "--by", by)).USDC
      for (const field of ["gridProfit", "inventory", "realised", "unrealised", "fees", "flows", "total"] as const) {
        const sum = groups.reduce((total, group) => total + units(group[field]), 0)
        assert.strictEqual(sum, units(USDC[field]), `${field} by ${by}`)
      }
    }
    for (const method of ["fifo", "lifo", "hifo"]) {
      const other = (await json<{ USDC: Figures }>("profit", "--method", method)).USDC
      // At one price, what is earned in all does not depend on which purchase is called sold.
      assert.strictEqual(units(other.total), units(USDC.total), method)
    }
  })

  it("show the same money by place, by owner and at the end of the last day", async () => {
    interface Amount {
      readonly asset: string
      readonly amount: string
      readonly place: string
    }
    const money = await json<{
      places: ReadonlyArray<Amount>
      strategies: ReadonlyArray<Amount>
      orders: ReadonlyArray<Amount>
      history: ReadonlyArray<{ places: ReadonlyArray<Amount> }>
      unexplained: Record<string, string>
      fees: ReadonlyArray<{ readonly asset: string; readonly kind: string; readonly amount: string }>
    }>("money")
    assert.deepStrictEqual(money.unexplained, { BTC: "0", USDC: "0" })
    assert.deepStrictEqual(money.history.at(-1)?.places, money.places)
    // What was paid is in the ledger; nothing rests any more, so nothing is estimated.
    const fees = money.places.filter(({ place }) => place === "fees").map(({ asset, amount }) => ({ asset, amount }))
    assert.deepStrictEqual(
      money.fees.map(({ kind, ...fee }) => [kind, fee] as const),
      fees.map((fee) => ["paid", fee] as const)
    )
    const owned = [...money.strategies, ...money.orders]
    for (const { asset, place, amount } of money.places) {
      const sum = owned
        .filter((each) => each.asset === asset && each.place === place)
        .reduce((total, each) => total + Number(each.amount), 0)
      assert.approximately(sum, Number(amount), 1e-7, `${asset} ${place}`)
    }
  })

  it("agree with the sandbox in CSV tables and balances", async () => {
    const folder = await exported("csv", "books")
    assert.deepStrictEqual(readdirSync(folder).sort(), [
      "equity.csv",
      "fees.csv",
      "fills.csv",
      "flows.csv",
      "lots.csv",
      "payouts.csv"
    ])
    const [titles, ...rows] = readFileSync(join(folder, "fills.csv"), "utf8").trim().split("\r\n")
    assert.strictEqual(titles, "time,market,side,quantity,base,value,quote,price,slot,order,fill")
    assert.lengthOf(rows, 5)
    const again = await runHere(["export", "--format", "csv", "--out", "books", ...config], { cwd })
    assert.strictEqual(again.code, 1)
    assert.match(again.stderr, /books is not empty: name a new folder/)

    const text = readFileSync(await exported("beancount", "balances.beancount"), "utf8")
    const { accounts }: Books = await (await fetch(`${connection.url}/sandbox/books`)).json()
    const theirs = accounts[connection.account.signerId] ?? assert.fail("no account")
    for (const [asset, decimals, budget] of [
      ["BTC", 8, 0.1],
      ["USDC", 6, 6_000]
    ] as const) {
      const [, wallet = ""] = new RegExp(`balance Assets:Limitbot:Wallet:Grid +(\\S+) ${asset}`).exec(text) ?? []
      const own = theirs[asset] ?? {}
      const earned =
        (Number(own["balance"] ?? 0) + Number(own["private"] ?? 0) - Number(own["initial"])) / 10 ** decimals
      assert.approximately(Number(wallet) - budget, earned, 1e-9, asset)
    }
  })

  it("are replayed with identical decisions, and an edited file differs", async () => {
    interface Replay {
      readonly decisions: number
      readonly identical: number
      readonly hash: string
      readonly fillsInBand: number
      readonly fills: number
      readonly differences: ReadonlyArray<unknown>
      readonly decisionCode: string
      readonly decidedBy: ReadonlyArray<unknown>
      readonly withoutFile: number
      readonly profit?: ReadonlyArray<Record<string, string>>
    }
    const same = await json<Replay>("replay", "--certificate")
    assert.isAbove(same.decisions, 0)
    assert.deepStrictEqual([same.identical, same.differences], [same.decisions, []])
    assert.strictEqual(same.fills, 5)
    // The certificate says which code decided then, and that it is the code that decides now.
    const { decisionCode, decisions, identical } = same
    assert.match(decisionCode, /^[0-9a-f]{12}$/)
    assert.deepStrictEqual(same.decidedBy, [{ decisionCode, decisions, identical }])
    const said = await runHere(["replay", "--certificate", ...config], { cwd })
    assert.include(said.stdout, `made by decision code ${decisionCode}, as in this program`)
    assert.strictEqual((await json<Replay>("replay")).hash, same.hash)
    const database = new DatabaseSync(join(cwd, "journal.sqlite"))
    database.exec("DELETE FROM price_minutes")
    writeFileSync(join(cwd, "grid.yaml"), gridText.replace("lower: 59000", "lower: 58000"))
    const edited = await json<Replay>("replay", "--with", "grid.yaml")
    assert.isBelow(edited.identical, edited.decisions)
    assert.notStrictEqual(edited.hash, same.hash)
    const read = await runHere(["replay", "--with", "grid.yaml", ...config], { cwd })
    assert.match(read.stdout, /\n {2}cell-\d+\S*: was .*BUY [\d.]+ BTC at \d+.*; now /)
    assert.notInclude(read.stdout, "{")
    // Without two minutes of prices there is no band, and it says so.
    assert.deepStrictEqual(
      edited.profit?.map(({ strategy, why }) => [strategy, why]),
      [["grid", "the bot stored too few prices"]]
    )
    const insert = database.prepare("INSERT INTO price_minutes VALUES (?, ?, ?, ?, ?, ?)")
    const decided = database.prepare("SELECT min(at) AS at FROM journal WHERE event = 'Decided'").get()
    const start = Math.floor(Number(decided?.["at"]) / 60_000)
    // Minutes before the strategy decided warm indicators up; no file would have traded in them.
    for (let minute = -30; minute < 30; minute += 1) {
      const [open, close] = [60_000 + 600 * Math.sin(minute), 60_000 + 600 * Math.sin(minute + 1)]
      const [high, low] = [Math.max(open, close) + 50, Math.min(open, close) - 50]
      insert.run("BTC/USDC", (start + minute) * 60_000, open, high, low, close)
    }
    database.close()
    const [edit] = (await json<Replay>("replay", "--with", "grid.yaml")).profit ?? []
    assert.deepStrictEqual(
      [edit?.["from"], edit?.["to"]],
      [start, start + 30].map((minute) => new Date(minute * 60_000).toISOString())
    )
    const bounded = async () => {
      const [found] = (await json<Replay>("replay", "--with", "grid.yaml")).profit ?? []
      return ["differenceLow", "differenceHigh"].map((end) => Number(found?.[end]))
    }
    writeFileSync(join(cwd, "grid.yaml"), gridText)
    const [low, high] = await bounded()
    assert.isTrue(
      low !== undefined && high !== undefined && low <= 0 && high >= 0,
      "the file that ran is in its own band"
    )
    writeFileSync(join(cwd, "grid.yaml"), gridText.replace("lower: 59000, upper: 61000", "lower: 10000, upper: 11000"))
    const [, mostOfNothing = Number.NaN] = await bounded()
    assert.isBelow(mostOfNothing, high ?? 0, "a grid that never trades earns less than one that does")
    // Prices of one market say nothing about decisions in another.
    writeFileSync(join(cwd, "grid.yaml"), gridText.replace("BTC/USDC", "USDC/BTC"))
    const elsewhere = await json<Replay>("replay", "--with", "grid.yaml")
    assert.deepStrictEqual([elsewhere.withoutFile, elsewhere.differences], [elsewhere.decisions, []])
    const { stdout } = await runHere(["replay", "--with", "grid.yaml", ...config], { cwd })
    assert.match(stdout, /\n\d+ decisions? not compared: no file of the same market\.\n/)
    writeFileSync(join(cwd, "grid.yaml"), gridText.replace("name: grid", "name: other"))
    const [other] = (await json<Replay>("replay", "--with", "grid.yaml")).profit ?? []
    assert.strictEqual(other?.["why"], "no strategy of its name has decided anything")
  })

  it("sort and filter fills, with price and fee, and write them as CSV", async () => {
    interface Fill {
      readonly at: string
      readonly side: string
      readonly price: string
      readonly fee: string | null
      readonly slot: string
    }
    const fills = await json<ReadonlyArray<Fill>>("fills")
    assert.deepStrictEqual(fills.map(({ price, side, slot }) => `${slot} ${side} ${price}`).toSorted(), [
      "grid/cell-09 BUY 59900",
      "grid/cell-09 SELL 60000",
      "grid/cell-10 BUY 60000",
      "grid/cell-10 SELL 60100",
      "grid/cell-11 SELL 60200"
    ])
    assert.deepStrictEqual(
      fills.map(({ at }) => at),
      fills.map(({ at }) => at).toSorted()
    )
    const slot = fills[0]?.slot ?? ""
    const ofSlot = await json<ReadonlyArray<Fill>>("fills", "--slot", slot)
    assert.strictEqual(ofSlot.length, fills.filter((fill) => fill.slot === slot).length)
    assert.deepStrictEqual(await json("fills", "--strategy", "nobody"), [])
    const { stdout } = await runHere(["fills", "--csv", ...config], { cwd })
    assert.strictEqual(stdout.trim().split("\r\n").length, fills.length + 1)
  })

  it("write the evidence of an order as one file without secrets, and list nothing as stuck", async () => {
    const [fill] = await json<ReadonlyArray<{ orderId: string }>>("fills")
    const order = fill?.orderId ?? ""
    const written = await runHere(["orders", order, "--out", "evidence.json", ...config], { cwd })
    assert.strictEqual(written.code, 0, written.stderr)
    const text = readFileSync(join(cwd, "evidence.json"), "utf8")
    const { orders } = JSON.parse(text)
    assert.strictEqual(orders.length, 1)
    assert.deepStrictEqual([orders[0].order, orders[0].contradictions], [order, []])
    assert.isAbove(orders[0].correlationIds.length, 0)
    assert.isAbove(orders[0].requests.length, 1)
    // The venue is a witness too, and so is the history: with the partner's token, its line of this order and no other.
    const { order: atVenue, history } = orders[0].venueNow
    assert.strictEqual(atVenue.answered.id, order)
    assert.lengthOf(atVenue.answered.fills, 1)
    assert.lengthOf(history.answered, 1)
    const [line] = history.answered
    assert.deepInclude(line, { depositAddress: atVenue.answered.depositAddress, status: "SUCCESS" })
    writeFileSync(
      join(cwd, "tokenless.yaml"),
      readFileSync(join(cwd, "config.yaml"), "utf8").replace(/ {2}partnerJwt.*\n/, ""),
      { mode: 0o600 }
    )
    const tokenless = await runHere(["orders", order, "--out", "part.json", "--config", "tokenless.yaml"], { cwd })
    assert.strictEqual(tokenless.code, 0, tokenless.stderr)
    assert.include(tokenless.stdout, "Not asked: venue.partnerJwt is not set; the history needs it")
    const [part] = JSON.parse(readFileSync(join(cwd, "part.json"), "utf8")).orders
    assert.deepStrictEqual(part.venueNow.order.answered, atVenue.answered, "the venue is asked all the same")
    const alone = await runHere(["orders", order, "--out", "alone.json", "--offline", ...config], { cwd })
    assert.strictEqual(alone.code, 0, alone.stderr)
    assert.match(readFileSync(join(cwd, "alone.json"), "utf8"), /skipped by --offline/)
    assert.notMatch(text, /"signed": "(?!kept)|signature/)
    // Without a witness outside, the proof for others is by a checkpoint that is signed now.
    const proven = await runHere(["orders", order, "--proof", "proof.json", ...config], { cwd })
    assert.strictEqual(proven.code, 0, proven.stderr)
    const proof = readFileSync(join(cwd, "proof.json"), "utf8")
    assert.notMatch(proof, /signedData|FundingSigned/)
    const [, account = ""] = /limitbot\.journal\/([0-9a-f]{64})/.exec(proof) ?? []
    const key = Ed25519.format(Buffer.from(account, "hex"))
    const verifier = join(import.meta.dirname, "../../deploy/verify.mjs")
    assert.include(
      execFileSync(process.execPath, [verifier, join(cwd, "proof.json"), key], { encoding: "utf8" }),
      "PROVEN"
    )
    const nowhere = await runHere(["orders", order, ...config], { cwd })
    assert.deepStrictEqual([nowhere.code, /--out FILE, --proof FILE/.test(nowhere.stderr)], [2, true], nowhere.stderr)
    const unknown = await runHere(["orders", "nothing", "--out", "x.json", ...config], { cwd })
    assert.strictEqual(unknown.code, 1)
    assert.match(unknown.stderr, /has no order nothing/)
    assert.deepStrictEqual(await json("orders", "--stuck"), [])
  })

  it("give tax services a trade for each fill, and their sums are those of the fills", async () => {
    const fills =
      (await exported("csv", "for-services")) && readFileSync(join(cwd, "for-services", "fills.csv"), "utf8")
    const sum = (cells: ReadonlyArray<string | undefined>) => cells.reduce((total, cell) => total + Number(cell), 0)
    const columnsOf = (text: string) =>
      text
        .trim()
        .split("\r\n")
        .slice(1)
        .map((row) => row.split(","))
    const bought = columnsOf(fills).filter((row) => row[2] === "BUY")
    const koinly = columnsOf(readFileSync(await exported("koinly", "koinly.csv"), "utf8"))
    const theirs = columnsOf(readFileSync(await exported("cointracking", "cointracking.csv"), "utf8"))
    assert.lengthOf(
      koinly.filter((row) => row[9] === ""),
      columnsOf(fills).length
    )
    assert.isAbove(koinly.filter((row) => row[9] === "cost").length, 0)
    assert.approximately(
      sum(koinly.filter((row) => row[4] === "BTC").map((row) => row[3])),
      sum(bought.map((row) => row[3])),
      1e-9
    )
    assert.deepStrictEqual(
      theirs.map((row) => [...row.slice(3, 5), ...row.slice(1, 3)]),
      koinly.map((row) => row.slice(1, 5))
    )
  })

  it("have the same rows in Parquet as in CSV, cell by cell", async () => {
    const [csv, parquet] = [await exported("csv", "as-csv"), await exported("parquet", "as-parquet")]
    const tables = readdirSync(csv).map((file) => file.replace(/\.csv$/, ""))
    assert.deepStrictEqual(
      readdirSync(parquet),
      tables.map((table) => `${table}.parquet`)
    )
    for (const table of tables) {
      const [titles = "", ...rows] = readFileSync(join(csv, `${table}.csv`), "utf8")
        .trim()
        .split("\r\n")
      const read = await parquetRowsOf(readFileSync(join(parquet, `${table}.parquet`)))
      assert.deepStrictEqual(
        read.map((row) => row.join(",")),
        rows.map((row) => row.replaceAll('"', "")),
        table
      )
      assert.isAbove(titles.length, 0)
      if (table !== "flows") continue
      assert.isAbove(rows.length, 0)
    }
  })

  it("of one year contain the fills of that year alone", async () => {
    const written = await runHere(["export", "--format", "csv", "--year", "2020", "--out", "2020", ...config], { cwd })
    assert.strictEqual(written.code, 0, written.stderr)
    assert.include(written.stdout, "2020: 0 fills, as csv")
    const year = String(new Date().getUTCFullYear())
    const now = await runHere(["export", "--format", "csv", "--year", year, "--out", "now", ...config], { cwd })
    const rowsIn = (folder: string) =>
      readFileSync(join(cwd, folder, "fills.csv"), "utf8")
        .trim()
        .split("\r\n").length - 1
    assert.strictEqual(rowsIn("2020"), 0)
    assert.include(now.stdout, `now: ${rowsIn("now")} fill`)
  })

  it.skipIf(!has("bean-check"))("are accepted by bean-check, of all time and of one year", async () => {
    const year = String(new Date().getUTCFullYear())
    for (const file of [
      await exported("beancount", "all.beancount"),
      await exported("beancount", "y.beancount", "--year", year)
    ])
      execFileSync("bean-check", [file], { env: { PATH: path } })
    const whole = readFileSync(join(cwd, "all.beancount"), "utf8")
    const edited = whole.replace(/( balance Assets:Limitbot:Wallet:Grid +)/, "$19")
    assert.notStrictEqual(edited, whole)
    writeFileSync(join(cwd, "edited.beancount"), edited)
    assert.notStrictEqual(spawnSync("bean-check", ["edited.beancount"], { cwd, env: { PATH: path } }).status, 0)
  })

  it.skipIf(!has("hledger"))("are accepted by hledger check, with the journal's balances", async () => {
    const file = await exported("hledger", "all.journal")
    execFileSync("hledger", ["-f", file, "check"], { env: { PATH: path, LANG: "C.UTF-8" } })
    const said = execFileSync(
      "hledger",
      ["-f", file, "balance", "assets:limitbot:wallet", "--flat", "-N", "-O", "csv"],
      {
        env: { PATH: path, LANG: "C.UTF-8" },
        encoding: "utf8"
      }
    )
    const { places } = await json<{ places: ReadonlyArray<{ place: string; asset: string; amount: string }> }>("money")
    for (const { amount } of places.filter(({ place }) => place === "wallet")) assert.include(said, amount)
  })

  it.skipIf(!has("rp2_us"))("are accepted by RP2", async () => {
    const folder = await exported("rp2", "rp2")
    mkdirSync(join(folder, "reports"))
    execFileSync("rp2_us", ["-m", "fifo", "-o", "reports", "rp2.ini", "rp2.ods"], {
      cwd: folder,
      env: { PATH: path },
      stdio: "pipe"
    })
    assert.isAbove(readdirSync(join(folder, "reports")).length, 0)
  })
})
