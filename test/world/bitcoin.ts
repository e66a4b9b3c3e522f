/** A market of bitcoin and its assets, for tests in which any market would do. */
const btc = { symbol: "BTC", id: "btc", decimals: 8 }
const usdc = { symbol: "USDC", id: "usdc", decimals: 6 }

export const market = { name: "BTC/USDC", base: btc, quote: usdc }

export const assets = [btc, usdc]

export const assetsBySymbol = new Map(assets.map((asset) => [asset.symbol, asset]))
