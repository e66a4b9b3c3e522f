"""backtesting.py: a limit order with a take profit for each cell, long below the first close and short above it; when a trade has
closed, its entry is placed again. Sizes are whole units there, so prices are thousandths."""

import warnings

import backtesting
import pandas as pd

import peer

warnings.filterwarnings("ignore")
unit = 1000
prices = peer.levels / unit
data = pd.DataFrame(
    {
        "Open": peer.opens / unit,
        "High": peer.highs / unit,
        "Low": peer.lows / unit,
        "Close": peer.closes / unit,
        "Volume": peer.volumes,
    },
    index=pd.to_datetime(peer.opened_at.astype("int64"), unit="ms"),
)


class Ladder(backtesting.Strategy):
    def init(self):
        self.seen = None

    def place(self, cell, buys):
        low, high = prices[cell], prices[cell + 1]
        if buys:
            self.buy(size=10, limit=low, tp=high, tag=(cell, True))
        else:
            self.sell(size=10, limit=high, tp=low, tag=(cell, False))

    def next(self):
        if self.seen is None:
            self.seen = 0
            for cell, buys in enumerate(peer.first_buys):
                self.place(cell, buys)
        for trade in self.closed_trades[self.seen :]:
            self.seen += 1
            self.place(*trade.tag)


def run():
    options = {"cash": 1e9, "commission": 0, "margin": 1, "hedging": True, "exclusive_orders": False}
    return backtesting.Backtest(data, Ladder, **options).run()


result, millis = peer.timed(run)
fills = []
for trade in result["_trades"].itertuples():
    cell, buys = trade.Tag
    fills += [(trade.EntryBar, buys, cell), (trade.ExitBar, not buys, cell)]
for trade in result["_strategy"].trades:
    cell, buys = trade.tag
    fills.append((trade.entry_bar, buys, cell))
peer.tell(f"backtesting.py {backtesting.__version__}", millis, fills)
