"""backtrader: resting limit orders of its broker; what has filled is placed the other way round."""

import backtrader

import peer


class Candles(backtrader.feed.DataBase):
    def start(self):
        super().start()
        self.rows = iter(zip(peer.opens.tolist(), peer.highs.tolist(), peer.lows.tolist(), peer.closes.tolist()))
        self.day = 738_000.0

    def _load(self):
        row = next(self.rows, None)
        if row is None:
            return False
        self.day += 1 / 1440
        lines = self.lines
        lines.datetime[0] = self.day
        lines.open[0], lines.high[0], lines.low[0], lines.close[0] = row
        lines.volume[0] = lines.openinterest[0] = 0.0
        return True


class Ladder(backtrader.Strategy):
    def __init__(self):
        self.cell_of = {}
        self.fills = []

    def place(self, cell, buys):
        price = float(peer.levels[cell if buys else cell + 1])
        act = self.buy if buys else self.sell
        self.cell_of[act(size=peer.size, price=price, exectype=backtrader.Order.Limit).ref] = (cell, buys)

    def next(self):
        if len(self.data) == 1:
            for cell, buys in enumerate(peer.first_buys):
                self.place(cell, buys)

    def notify_order(self, order):
        if order.status == order.Completed:
            cell, buys = self.cell_of.pop(order.ref)
            self.fills.append((len(self.data) - 1, buys, cell))
            self.place(cell, not buys)


def run():
    cerebro = backtrader.Cerebro(stdstats=False)
    cerebro.adddata(Candles())
    cerebro.addstrategy(Ladder)
    cerebro.broker.setcash(1e9)
    return cerebro.run()[0].fills


fills, millis = peer.timed(run)
peer.tell(f"backtrader {backtrader.__version__}", millis, fills)
