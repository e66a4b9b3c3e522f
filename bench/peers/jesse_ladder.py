"""jesse: a market order opens the one position that it can have, so that the ladder only grows and shrinks it; its limit orders
are placed the other way round as they fill."""

from importlib.metadata import version

import numpy as np

import peer

import jesse.helpers as helpers
from jesse import research
from jesse.strategies import Strategy

exchange, symbol = "Binance Perpetual Futures", "BTC-USDT"
# Its candles are time, open, close, high, low, volume.
candles = np.ascontiguousarray(peer.columns[[0, 1, 4, 2, 3, 5]].T)
fills = []


class Ladder(Strategy):
    def should_long(self):
        return True

    def should_cancel_entry(self):
        return False

    def go_long(self):
        self.buy = 1, self.price

    def place(self, cell, buys):
        price = float(peer.levels[cell if buys else cell + 1])
        act = self.broker.buy_at if buys else self.broker.sell_at
        self.vars[act(peer.size, price).id] = (cell, buys)

    def on_open_position(self, order):
        for cell, buys in enumerate(peer.first_buys):
            self.place(cell, buys)

    def turn(self, order):
        cell, buys = self.vars.pop(order.id)
        # It tells the end of the minute.
        fills.append((int((order.executed_at - peer.opened_at[0]) // 60_000) - 1, buys, cell))
        self.place(cell, not buys)

    def on_increased_position(self, order):
        self.turn(order)

    def on_reduced_position(self, order):
        self.turn(order)


def run():
    fills.clear()
    config = {
        "starting_balance": 1e9,
        "fee": 0,
        "type": "futures",
        "futures_leverage": 1,
        "futures_leverage_mode": "cross",
        "exchange": exchange,
        "warm_up_candles": 0,
    }
    key = helpers.key(exchange, symbol)
    routes = [{"exchange": exchange, "strategy": Ladder, "symbol": symbol, "timeframe": "1m"}]
    research.backtest(config, routes, [], {key: {"exchange": exchange, "symbol": symbol, "candles": candles}})
    return list(fills)


found, millis = peer.timed(run)
peer.tell(f"jesse {version('jesse')}", millis, found)
