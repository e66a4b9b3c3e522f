/**
 * Wrong strategy files and what must be said about each: `line:column fragment of the message`. A case is a good file
 * with one thing changed (`was` becomes `is`), so that its lines and columns are easy to count.
 */
export const goodGrid = `name: btc-grid
market: BTC/USDC
kind: grid
limits:
  budget: { base: 0.01, quote: 1000 }
  maxOpenOrders: 20
  maxPriceDeviation: 5%
  staleAfter: 30s
grid:
  lower: 50000
  upper: 70000
  levels: 5
  spacing: geometric
  size: { base: 0.002 }
`

const gridSection = goodGrid.slice(goodGrid.indexOf("  lower"))

export const goodLadder = `name: eth-ladder
market: ETH/USDC
kind: ladder
limits:
  budget:
    base: 0
    quote: 3000
ladder:
  side: buy
  from: 3200
  to: 2400
  rungs: 12
  profile: geometric
  total: { quote: 3000 }
  takeProfit: 4%
`

export interface WrongFile {
  readonly file: string
  readonly was: string
  readonly is: string
  /** Every problem, in order; all of them, so that nothing superfluous is said. */
  readonly says: ReadonlyArray<string>
}

const inGrid = (was: string, is: string, ...says: ReadonlyArray<string>): WrongFile => ({
  file: goodGrid,
  was,
  is,
  says
})
const inLadder = (was: string, is: string, ...says: ReadonlyArray<string>): WrongFile => ({
  file: goodLadder,
  was,
  is,
  says
})

export const goodThirds = `name: thirds
market: [BTC/USDC, ETH/USDC]
kind: rebalance
limits:
  budget: { BTC: 0.02, ETH: 0.4, USDC: 900 }
rebalance:
  targets: { BTC: 40%, ETH: 30% }
  band: 5%
  requote: 1%
`

const inThirds = (was: string, is: string, ...says: ReadonlyArray<string>): WrongFile => ({
  file: goodThirds,
  was,
  is,
  says
})

const whole = (text: string, ...says: ReadonlyArray<string>): WrongFile => ({ file: text, was: "", is: "", says })

const keys: ReadonlyArray<WrongFile> = [
  inGrid("name: btc-grid", "nmae: btc-grid", '1:1 unknown key "nmae"'),
  inGrid("name: btc-grid\n", "", '1:1 missing key "name"'),
  inGrid("market: BTC/USDC\n", "", '1:1 missing key "market"'),
  inGrid("kind: grid\n", "", '1:1 missing key "kind"'),
  inGrid("kind: grid\n", "kind:\n", '3:1 "kind" has no value'),
  inGrid("limits:", "limit:", '4:1 unknown key "limit"'),
  inGrid("  budget: { base: 0.01, quote: 1000 }\n", "", '5:3 missing key "budget"'),
  inGrid("budget: {", "buget: {", '5:3 unknown key "buget"'),
  inGrid("quote: 1000", "qoute: 1000", '5:25 unknown key "qoute"'),
  inGrid("maxOpenOrders", "maxOrders", '6:3 unknown key "maxOrders"'),
  inGrid("  size: { base: 0.002 }\n", "", '10:3 missing key "size"'),
  inGrid("size: { base: 0.002 }", "size: {}", '14:9 missing key "base" or "quote"'),
  inGrid("size: { base: 0.002 }", "size: { bsae: 0.002 }", '14:11 unknown key "bsae"'),
  inGrid("size: { base: 0.002 }", "size: { base: 0.002, quote: 5 }", '14:24 give either "base" or "quote", not both'),
  inGrid("size: { base: 0.002 }", "size: 0.002", '14:9 expected keys and values, found "0.002"'),
  inGrid("  lower: 50000\n", "", '10:3 missing key "lower"'),
  inGrid("  upper: 70000\n", "", '10:3 missing key "upper"'),
  inGrid("  levels: 5\n", "", '10:3 missing key "levels"'),
  inGrid("  levels: 5\n", "  levels: 5\n  levels: 6\n", '13:3 the key "levels" is given twice'),
  inGrid(
    "grid:\n",
    "ladder:\n",
    '3:7 the section "grid:" of this kind is missing',
    '9:1 the section "ladder" does not belong'
  ),
  inGrid(
    "kind: grid",
    "kind: ladder",
    '3:7 the section "ladder:" of this kind is missing',
    '9:1 the section "grid" does not'
  ),
  inGrid("kind: grid", "kind: gird", "3:7 expected one of grid, ladder"),
  inLadder("  side: buy\n", "", '9:3 missing key "side"'),
  inLadder("  takeProfit: 4%", "  takeprofit: 4%", '15:3 unknown key "takeprofit"'),
  inLadder("  total: { quote: 3000 }\n", "", '9:3 missing key "total"'),
  inLadder("  rungs: 12", "  rung: 12", '12:3 unknown key "rung"'),
  inGrid("name: btc-grid", "__proto__: x\nname: btc-grid", '1:1 the key "__proto__" is not allowed'),
  inGrid("name: btc-grid", "constructor: x\nname: btc-grid", '1:1 the key "constructor" is not allowed')
]

const values: ReadonlyArray<WrongFile> = [
  inGrid("name: btc-grid", "name: BTC Grid", "1:7 expected a name of lower-case letters"),
  inGrid("name: btc-grid", "name: -grid", "1:7 expected a name"),
  inGrid("name: btc-grid", "name: p1", "1:7 expected a name"),
  inGrid("name: btc-grid", "name: s27", "1:7 expected a name"),
  inGrid("name: btc-grid", `name: ${"a".repeat(65)}`, "1:7 expected a name"),
  inGrid(
    "name: btc-grid",
    "name: [a, b]",
    "1:7 expected a name of lower-case letters, digits and dashes (at most 64), found a list"
  ),
  inGrid("name: btc-grid", "name: ../../etc", "1:7 expected a name"),
  inGrid("BTC/USDC", "BTC/USDT", '2:9 no asset "USDT" in the configuration'),
  inGrid("BTC/USDC", "btc/usdc", '2:9 no asset "btc"', '2:9 no asset "usdc"'),
  inGrid("BTC/USDC", "BTC-USDC", "2:9 expected a market such as BTC/USDC"),
  inGrid("BTC/USDC", "BTC/", "2:9 expected a market"),
  inGrid("BTC/USDC", "BTC/USDC/ETH", "2:9 expected a market"),
  inGrid("BTC/USDC", "BTC/BTC", "2:9 BTC cannot be traded against itself"),
  inGrid("base: 0.01,", "base: 0.000000001,", "5:19 0.000000001 has too many decimals for BTC: at most 8"),
  inGrid("base: 0.01,", "base: -1,", '5:19 expected an amount of BTC, found "-1"'),
  inGrid("quote: 1000", "quote: 1e3", '5:32 expected an amount of USDC, found "1e3"'),
  inGrid("quote: 1000", "quote: 1_000", "5:32 expected an amount of USDC"),
  inGrid("quote: 1000", "quote: '1,000'", "5:32 expected an amount of USDC"),
  inGrid("quote: 1000", "quote: 1000 USDC", "5:32 expected an amount of USDC"),
  inGrid("quote: 1000", "quote: $1000", "5:32 expected an amount of USDC"),
  inGrid("quote: 1000", "quote: much", "5:32 expected an amount of USDC"),
  inGrid("quote: 1000", "quote: .inf", "5:32 expected an amount of USDC"),
  inGrid("quote: 1000", "quote: 0x10", "5:32 expected an amount of USDC"),
  inGrid("quote: 1000", `quote: ${"9".repeat(101)}`, "5:32 expected an amount of USDC"),
  inGrid("{ base: 0.01, quote: 1000 }", "{ base: 0, quote: 0 }", "5:11 the budget is empty"),
  inGrid("maxOpenOrders: 20", "maxOpenOrders: 0", "6:18 expected a whole number from 1"),
  inGrid("maxOpenOrders: 20", "maxOpenOrders: 2.5", "6:18 expected a whole number"),
  inGrid("maxOpenOrders: 20", "maxOpenOrders: many", "6:18 expected a whole number"),
  inGrid("maxPriceDeviation: 5%", "maxPriceDeviation: 5", '7:22 expected a ratio such as 5% or 25bps, found "5"'),
  inGrid("maxPriceDeviation: 5%", "maxPriceDeviation: 0.05", "7:22 expected a ratio"),
  inGrid("maxPriceDeviation: 5%", "maxPriceDeviation: 0%", "7:22 expected a ratio"),
  inGrid("maxPriceDeviation: 5%", "maxPriceDeviation: -5%", "7:22 expected a ratio"),
  inGrid("maxPriceDeviation: 5%", "maxPriceDeviation: 5 percent", "7:22 expected a ratio"),
  inGrid("staleAfter: 30s", "staleAfter: 30", "8:15 expected a duration such as 30s, 5m, 6h or 7d"),
  inGrid("staleAfter: 30s", "staleAfter: 0s", "8:15 expected a duration"),
  inGrid("staleAfter: 30s", "staleAfter: 30 s", "8:15 expected a duration"),
  inGrid("staleAfter: 30s", "staleAfter: 1.5h", "8:15 expected a duration"),
  inGrid("staleAfter: 30s", "staleAfter: 30sec", "8:15 expected a duration"),
  inGrid("staleAfter: 30s", "staleAfter: 99999d", "8:15 expected a duration"),
  inGrid("lower: 50000", "lower: 0", "10:10 expected a price above zero"),
  inGrid("lower: 50000", "lower: -50000", "10:10 expected a price above zero"),
  inGrid("lower: 50000", "lower: 50.000,00", "10:10 expected a price"),
  inGrid("lower: 50000", "lower: 50,5", "10:10 expected a price"),
  inGrid("lower: 50000", "lower: { from: 50000 }", "10:10 expected a price above zero, found a mapping"),
  inGrid("spacing: geometric", "spacing: log", "13:12 expected arithmetic or geometric"),
  inGrid("spacing: geometric", "spacing: Geometric", "13:12 expected arithmetic or geometric"),
  inGrid("levels: 5", "levels: 1", "12:11 expected a whole number from 2 to 20001"),
  inGrid("levels: 5", "levels: five", "12:11 expected a whole number"),
  inGrid("levels: 5", "levels: 1000000", "12:11 expected a whole number"),
  inGrid("size: { base: 0.002 }", "size: { base: 0 }", "14:17 expected an amount of BTC above zero"),
  inGrid("size: { base: 0.002 }", "size: { quote: 0.0000001 }", "14:18 0.0000001 has too many decimals for USDC"),
  inGrid("size: { base: 0.002 }", "size: { base: 0.002 }\n  fundNearest: 0", "15:16 expected a whole number from 1"),
  inLadder("side: buy", "side: BUY", "9:9 expected buy or sell"),
  inLadder("side: buy", "side: bid", "9:9 expected buy or sell"),
  inLadder("rungs: 12", "rungs: 0", "12:10 expected a whole number from 1 to 1000"),
  inLadder("rungs: 12", "rungs: 1001", "12:10 expected a whole number"),
  inLadder("profile: geometric", "profile: exponential", "13:12 expected flat or linear or geometric"),
  inLadder("takeProfit: 4%", "takeProfit: 0.04", "15:15 expected a ratio"),
  inLadder("from: 3200", "from: three", "10:9 expected a price"),
  inLadder("total: { quote: 3000 }", "total: [3000]", "14:10 expected keys and values, found a list")
]

const impossible: ReadonlyArray<WrongFile> = [
  whole(
    goodLadder.replace("side: buy", "side: sell").replace("base: 0", "base: 9").replace("4%", "100%"),
    "15:15 this far below there is no price left to buy back at, after the sale at 3200"
  ),
  inGrid("upper: 70000", "upper: 50000", "11:10 the upper price must be above the lower: 50000 is not above 50000"),
  inGrid("upper: 70000", "upper: 40000", "11:10 the upper price must be above the lower"),
  inGrid("upper: 70000", "upper: 50000.001", "11:10 the price 50000.001 is between two steps"),
  inGrid("upper: 70000", "upper: 50000.01", "12:11 5 levels lie closer together than the price step of 0.01"),
  inGrid("levels: 5", "levels: 21", "10:3 15 buys resting at once need"),
  inGrid("size: { base: 0.002 }", "size: { quote: 400 }", "10:3 3 buys resting at once need"),
  inGrid("size: { base: 0.002 }", "size: { quote: 0.000001 }", "14:9 this size buys nothing at 50000"),
  inGrid("size: { base: 0.002 }", "size: { base: 0.02 }\n  fundNearest: 2", "10:3 2 buys resting at once need"),
  inGrid(
    "  levels: 5\n",
    "  levels: [50000, 60000]\n",
    "10:10 the levels are listed already",
    "11:10 the levels are listed already",
    "13:12 the levels are listed already"
  ),
  inGrid(gridSection, "  levels: [50000]\n  size: { base: 0.002 }\n", "10:11 a grid needs at least two levels"),
  inGrid(gridSection, "  levels: []\n  size: { base: 0.002 }\n", "10:11 the list is empty"),
  inGrid(gridSection, "  levels: [5, x]\n  size: { base: 0.002 }\n", '10:15 expected a price above zero, found "x"'),
  inGrid(gridSection, "  levels: [5, 7, 6]\n  size: { base: 0.002 }\n", "10:18 levels must rise: 6 after 7"),
  inGrid(gridSection, "  levels: [5, 7, 7.0]\n  size: { base: 0.002 }\n", "10:18 levels must rise: 7 after 7"),
  inGrid(gridSection, "  levels: [5, 7.001]\n  size: { base: 0.002 }\n", "10:15 the price 7.001 is between two steps"),
  inLadder("to: 2400", "to: 3200", "11:7 12 rungs need two different prices"),
  inLadder("rungs: 12", "rungs: 1", "11:7 one rung has one price"),
  inLadder("total: { quote: 3000 }", "total: { quote: 3001 }", "14:10 all rungs together need"),
  inLadder("total: { quote: 3000 }", "total: { base: 1.5 }", "14:10 all rungs together need"),
  inLadder(
    "total: { quote: 3000 }",
    "total: { base: 0.000000000000000010 }",
    "14:10 this total leaves nothing for the rung"
  ),
  inLadder("side: buy", "side: sell", "14:10 all rungs together need")
]

const syntax: ReadonlyArray<WrongFile> = [
  inGrid("size: { base: 0.002 }", "size: { base: x[1] }", "14:18 a bracket within a value inside braces"),
  whole("", "1:1 the file is empty"),
  whole("# only a comment\n", "1:1 the file is empty"),
  whole("\n\n\n", "1:1 the file is empty"),
  whole("just text", '1:1 expected keys and values, found "just text"'),
  whole("- a\n- b\n", "1:1 expected keys and values, found a list"),
  whole("42\n", "1:1 expected keys and values"),
  inGrid("name: btc-grid", "name btc-grid", "1:1 this line is not `key: value`"),
  inGrid("name: btc-grid", 'name: "btc-grid', "1:7 this quote is never closed"),
  inGrid("name: btc-grid", "name: 'btc'grid'", "1:12 text after the end of a quoted value"),
  inGrid("name: btc-grid", 'name: "btc\\grid"', "1:11 this backslash escape does not exist"),
  inGrid("name: btc-grid", "name: @btc", "1:7 a value cannot begin with this character"),
  inGrid("name: btc-grid", "name: %btc", "1:7 a value cannot begin with this character"),
  inGrid("name: btc-grid", "name: btc: grid", "1:7 a mapping cannot begin here"),
  inGrid("name: btc-grid", "name: - btc", "1:7 a list item cannot begin here"),
  inGrid("name: btc-grid", "name: &n btc-grid", "1:7 anchors (`&name`) are not supported"),
  inGrid("name: btc-grid", "name: *n", "1:7 aliases (`*name`) are not supported"),
  inGrid("name: btc-grid", "name: !!str btc-grid", "1:7 tags (`!type`) are not supported"),
  inGrid("name: btc-grid", "<<: { name: x }\nname: btc-grid", "1:1 merge keys (`<<`) are not supported"),
  inGrid("name: btc-grid", "? [a]\n: b\nname: btc-grid", "1:3 a key must be a plain word"),
  inGrid("name: btc-grid", "%YAML 1.1\n---\nname: btc-grid", "1:1 directives (`%`) are not supported"),
  inGrid("name: btc-grid", "name: btc\u0007grid", "1:10 a control character (U+0007)"),
  inGrid("kind: grid", "---\nkind: grid", "3:1 a second document"),
  inGrid("  maxOpenOrders", "\tmaxOpenOrders", "6:1 a tab is used as indentation"),
  inGrid("  maxOpenOrders", "   maxOpenOrders", "6:1 the indentation does not fit"),
  inGrid("quote: 1000 }", "quote: 1000", "6:3 brackets or braces are not closed"),
  inGrid("quote: 1000 }", "quote: 1000 }}", "5:38 a closing bracket or brace without an opening one"),
  inGrid("levels: 5", "levels: [5", "13:3 brackets or braces are not closed"),
  inGrid("  upper", " upper", "11:1 the indentation does not fit"),
  whole("a: ".repeat(30), "1:61 nesting deeper"),
  whole("[".repeat(500), "1:22 nesting deeper than 20 levels"),
  whole("- ".repeat(500), "1:41 nesting deeper than 20 levels"),
  whole("{a: ".repeat(500), "1:82 nesting deeper than 20 levels"),
  whole(`a: [${"1, ".repeat(10_001)}]`, "1:29993 more than 10000 values"),
  whole(`a: ${"x".repeat(300_000)}`, "1:1 the file has 300003 characters")
]

/** A good file of another kind, with one thing wrong in its section. */
const inKind = (kind: string, section: string, ...says: ReadonlyArray<string>): WrongFile =>
  whole(
    `name: x\nmarket: BTC/USDC\nkind: ${kind}\nlimits:\n  budget: { base: 1, quote: 50000 }\n${kind}:\n  ${section}\n`,
    ...says
  )

const otherKinds: ReadonlyArray<WrongFile> = [
  inKind("grid", "{ step: 1%, size: { quote: 50 } }", '7:3 missing key "fundNearest"'),
  inKind("grid", "{ step: 1%, size: { quote: 50 }, fundNearest: 2, levels: 5 }", "7:60 a grid with a step has no ends"),
  inKind("grid", "{ step: 1, size: { quote: 50 }, fundNearest: 2 }", "7:11 expected a ratio"),
  inKind(
    "grid",
    "{ lower: 5, upper: 9, levels: 3, size: { base: 1 }, stop: 5, takeProfit: 8 }",
    "7:61 the stop must be below the lowest level 5",
    "7:76 the take-profit must be above the highest level 9"
  ),
  inKind("grid", "{ lower: 5, upper: 9, levels: 3, size: { base: 1 }, reach: 1% }", "7:62 reach without stop"),
  inKind("grid", "{ step: 1%, size: { quote: 9000 }, fundNearest: 6 }", "7:21 6 buys resting at once need 54000 USDC"),
  inKind(
    "iceberg",
    "{ side: sell, price: 5, total: { base: 1 }, visible: { base: 2 } }",
    "7:56 the visible part is larger"
  ),
  inKind(
    "iceberg",
    "{ side: sell, price: 5, total: { base: 1 }, visible: { base: 0.0001 } }",
    "7:56 10000 parts: at most 1000"
  ),
  inKind(
    "iceberg",
    "{ side: sell, price: 5, total: { base: 2 }, visible: { base: 1 } }",
    "7:34 all parts together need 2 BTC"
  ),
  inKind(
    "iceberg",
    "{ side: sell, price: 5.001, total: { base: 1 }, visible: { base: 1 } }",
    "7:24 the price 5.001 is between"
  ),
  inKind("iceberg", "{ side: sell, total: { base: 1 }, visible: { base: 1 } }", '7:3 missing key "price"'),
  inKind(
    "twap",
    "{ side: buy, total: { base: 1 }, over: 1h, slices: 0, limit: 5 }",
    "7:54 expected a whole number from 1"
  ),
  inKind("twap", "{ side: buy, total: { base: 1 }, over: 60, slices: 2, limit: 5 }", "7:42 expected a duration"),
  inKind(
    "twap",
    "{ side: buy, total: { base: 1 }, over: 1h, slices: 2, limit: 60000 }",
    "7:23 all slices together need 60000 USDC"
  ),
  inKind(
    "twap",
    "{ side: buy, total: { base: 1 }, over: 1h, slices: 2, limit: 5, vary: 120% }",
    "7:73 120% is too much: at most 100% is possible"
  ),
  inKind(
    "twap",
    "{ side: buy, total: { base: 0.00000001 }, over: 1h, slices: 2, limit: 5 }",
    "7:23 too little for 2 slices"
  ),
  inKind("dca", "{ every: 0m, size: { quote: 5 }, times: 2 }", "7:12 expected a duration"),
  inKind(
    "dca",
    "{ every: 1h, size: { quote: 500 }, times: 101 }",
    "7:22 101 orders of this size would need 50500 USDC"
  ),
  inKind("dca", "{ every: 1h, size: { quote: 5 } }", '7:3 missing key "times"'),
  inKind(
    "dca",
    "{ every: 1h, size: { quote: 5 }, times: 2, pauseAbove: 5, pauseBelow: 6 }",
    "7:73 pauseBelow must be below pauseAbove"
  ),
  inKind("dca", "{ every: 1h, size: { quote: 5 }, times: 2, drop: 5 }", "7:52 expected a ratio"),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 9, takeProfit: 8, stop: 7 }",
    "7:57 the take-profit must be above"
  ),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 9, takeProfit: 10, stop: 9.5 }",
    "7:67 the stop must be below"
  ),
  inKind(
    "bracket",
    "{ side: sell, size: { base: 1 }, entry: 9, takeProfit: 10, stop: 7 }",
    "7:58 the take-profit must be below",
    "7:68 the stop must be above"
  ),
  inKind(
    "bracket",
    "{ side: sell, size: { base: 2 }, entry: 9, takeProfit: 8, stop: 10 }",
    "7:23 the entry would need 2 BTC"
  ),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 9, takeProfit: 10, stop: 8, trailStep: 1% }",
    "7:81 trailStep without trail"
  ),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 9, takeProfit: 10, stop: 8, breakevenAt: 8.5 }",
    "7:83 breakevenAt must be above"
  ),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 9, takeProfit: 10, stop: 8, stopBy: market }",
    '7:78 expected order or swap, found "market"'
  ),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 9, takeProfit: 8, stop: 10, times: 3 }",
    "7:57 the take-profit must be above the entry price 9",
    "7:66 the stop must be below"
  ),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 1%, takeProfit: entry + 5%, stop: 3% }",
    "7:58 these do not fit together: a price + a ratio"
  ),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 1%, takeProfit: 5%, stop: 3%, stopBy: swap }",
    "7:80 only a bracket of fixed prices takes this key"
  ),
  inKind(
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 9, takeProfit: 10, stop: 8, by: swap }",
    '7:70 unknown key "by"'
  ),
  inKind(
    "rules",
    "{ orders: { a: { when: mid > 1, side: buy, price: mid, size: { quote: 5 }, by: swop } } }",
    '7:82 expected order or swap, found "swop"'
  ),
  inKind(
    "rules",
    "{ orders: { a: { when: mid > 1, side: buy, size: { quote: 5 }, by: swap } } }",
    '7:18 missing key "price"'
  ),
  inKind(
    "rules",
    "{ orders: { a: { when: mid > 1, side: buy, price: mid, size: { quote: 5 }, then: { by: swap } } } }",
    "7:84 there is no way to exit"
  ),
  inKind("market-making", "{ levels: 0, spread: 1%, size: 0.1 }", "7:13 expected a whole number from 1 to 50"),
  inKind("market-making", "{ levels: 2, spread: 1, size: 0.1 }", "7:24 expected a ratio"),
  inKind("market-making", "{ levels: 2, spread: 1%, size: 0.6 }", "7:34 all asks together need 1.2 BTC"),
  inKind("market-making", "{ levels: 2, spread: 150%, size: 0.1 }", "7:24 the widest bid would be at a price of 0"),
  inKind("market-making", "{ levels: 2, spread: 1%, size: 0.1, maxInventory: 0.05 }", "7:53 maxInventory is smaller"),
  inKind(
    "market-making",
    "{ levels: 3, spread: 1%, size: [0.1, 0.2] }",
    "7:34 2 sizes for 3 levels: give one, or one for each"
  ),
  inKind(
    "market-making",
    "{ levels: 1, size: 0.1, skew: 1%, spread: { of: avellaneda-stoikov, length: 20, timeframe: 5m, riskAversion: 1, horizon: 1m, min: 1%, max: 2% } }",
    "7:124 the horizon is shorter than one candle"
  ),
  inKind(
    "ladder",
    "{ side: buy, from: 9, to: 5, rungs: 3, total: { quote: 9 }, profile: linear, scale: 2 }",
    "7:87 scale belongs to the profile geometric"
  ),
  inKind("rebalance", "{ target: 50% }", '7:3 missing key "band"'),
  inKind("rebalance", "{ target: 50%, band: 5%, reach: 1% }", "7:35 reach without every does nothing"),
  inKind("rebalance", "{ target: 50%, band: 5%, every: week }", "7:35 expected a duration"),
  inKind("rebalance", "{ target: 50%, band: 5%, reserve: 50000 }", "7:37 the reserve is all of the quote budget"),
  inKind("rebalance", "{ target: 50%, band: 50% }", "7:24 target minus band must be above 0%"),
  inKind("rebalance", "{ target: 95%, band: 5% }", "7:24 target minus band must be above 0%"),
  inKind(
    "rules",
    "{ timeframe: 1y, orders: { a: { when: mid > 1, side: buy, price: mid, size: { quote: 5 } } } }",
    "7:16 expected a timeframe"
  ),
  inKind("rules", "{ orders: { a: { when: mid > 1, side: buy, size: { quote: 5 } } } }", '7:18 missing key "price"'),
  inKind(
    "rules",
    "{ orders: { A: { when: mid > 1, side: buy, price: mid, size: { quote: 5 } } } }",
    "7:15 expected a name"
  ),
  inKind(
    "rules",
    "{ orders: { a: { when: [mid], side: buy, price: mid, size: { quote: 5 } } } }",
    "7:26 expected an expression"
  ),
  inKind(
    "rules",
    "{ orders: { a: { when: mid > 1, side: buy, price: mid, size: { quote: 60000 } } } }",
    "7:64 one order is larger than the quote budget"
  ),
  inKind(
    "rules",
    "{ orders: { a: { when: 'mid >> 1', side: buy, price: mid, size: { quote: 5 } } } }",
    "7:32 expected a number"
  ),
  inKind(
    "rules",
    "{ let: [a], orders: { a: { when: mid > 1, side: buy, price: mid, size: { quote: 5 } } } }",
    "7:10 expected names with their settings"
  )
]

const severalMarkets: ReadonlyArray<WrongFile> = [
  inThirds("ETH/USDC", "ETH/SOL", "2:20 its quote is SOL, that of BTC/USDC is USDC: they must be the same"),
  inThirds("ETH/USDC", "BTC/USDC", "2:20 BTC/USDC is named twice"),
  inThirds("ETH/USDC", "ETH/USDT", '2:20 no asset "USDT" in the configuration'),
  inThirds(", ETH/USDC]", "]", "2:10 a list of one market"),
  inThirds("[BTC/USDC, ETH/USDC]", "[]", "2:9 the list is empty"),
  inThirds(
    "[BTC/USDC, ETH/USDC]",
    "BTC/USDC",
    '5:13 unknown key "BTC"',
    '5:24 unknown key "ETH"',
    '5:34 unknown key "USDC"',
    '7:3 unknown key "targets"',
    '9:3 unknown key "requote"'
  ),
  inThirds("kind: rebalance", "kind: grid", '2:9 a strategy of kind "grid" trades one market'),
  inThirds("kind: rebalance", "kind: rebalence", "3:7 expected one of grid, ladder"),
  inThirds("BTC: 0.02", "base: 0.02", '5:13 unknown key "base"'),
  inThirds("ETH: 0.4", "SOL: 0.4", '5:24 unknown key "SOL"'),
  inThirds("USDC: 900", "USDC: 0.0000001", "5:40 0.0000001 has too many decimals for USDC: at most 6"),
  inThirds(
    "{ BTC: 0.02, ETH: 0.4, USDC: 900 }",
    "{ BTC: 0 }",
    "5:11 the budget is empty: set an amount of at least one"
  ),
  inThirds(", USDC: 900", "", "7:12 rebalancing several assets needs some USDC"),
  inThirds("targets: { BTC: 40%, ETH: 30% }", "target: 40%", '7:3 unknown key "target"'),
  inThirds(", ETH: 30%", "", '7:12 missing key "ETH"'),
  inThirds("ETH: 30%", "ETH: 30%, SOL: 5%", '7:34 unknown key "SOL"'),
  inThirds("ETH: 30%", "ETH: 0.3", "7:29 expected a ratio such as 5% or 25bps"),
  inThirds("ETH: 30%", "ETH: 60%", "7:12 the targets add up to 100%: something must be left for USDC"),
  inThirds("ETH: 30%", "ETH: 30%, USDC: 20%", "7:12 the targets add up to 90%: all together must be 100%"),
  inThirds("ETH: 30%", "ETH: 5%", "7:29 target minus band must be above 0%"),
  inThirds("requote: 1%", "requote: 5%", "9:12 requote must be smaller than the band"),
  inThirds("  band: 5%\n", "", '7:3 missing key "band"')
]

export const wrongFiles: ReadonlyArray<WrongFile> = [
  ...otherKinds,
  ...severalMarkets,
  ...keys,
  ...values,
  ...impossible,
  ...syntax
]
