"""NautilusTrader: resting limit orders at its simulated exchange, which fills them from the bars; what has filled is placed the
other way round."""

import nautilus_trader
import pandas as pd
from nautilus_trader.backtest.engine import BacktestEngine, BacktestEngineConfig
from nautilus_trader.config import LoggingConfig
from nautilus_trader.model.currencies import BTC, USDT
from nautilus_trader.model.data import BarType
from nautilus_trader.model.enums import AccountType, OmsType, OrderSide
from nautilus_trader.model.identifiers import Venue
from nautilus_trader.model.objects import Money
from nautilus_trader.persistence.wranglers import BarDataWrangler
from nautilus_trader.test_kit.providers import TestInstrumentProvider
from nautilus_trader.trading.strategy import Strategy

import peer

instrument = TestInstrumentProvider.btcusdt_binance()
bar_type = BarType.from_str(f"{instrument.id}-1-MINUTE-LAST-EXTERNAL")
closing = pd.to_datetime((peer.opened_at + 60_000).astype("int64"), unit="ms", utc=True)
frame = pd.DataFrame(
    {"open": peer.opens, "high": peer.highs, "low": peer.lows, "close": peer.closes, "volume": 1000.0}, index=closing
)
bars = BarDataWrangler(bar_type, instrument).process(frame)
first_nanos = int(closing[0].value)


class Ladder(Strategy):
    def __init__(self):
        super().__init__()
        self.cell_of = {}
        self.fills = []
        self.waiting = []

    def on_start(self):
        self.subscribe_bars(bar_type)
        self.waiting = list(enumerate(peer.first_buys))

    def on_bar(self, bar):
        for cell, buys in self.waiting:
            self.place(cell, buys)
        self.waiting = []

    def place(self, cell, buys):
        order = self.order_factory.limit(
            instrument_id=instrument.id,
            order_side=OrderSide.BUY if buys else OrderSide.SELL,
            quantity=instrument.make_qty(peer.size),
            price=instrument.make_price(float(peer.levels[cell if buys else cell + 1])),
        )
        self.cell_of[order.client_order_id] = (cell, buys)
        self.submit_order(order)

    def on_order_filled(self, event):
        cell, buys = self.cell_of.pop(event.client_order_id)
        self.fills.append(((event.ts_event - first_nanos) // 60_000_000_000, buys, cell))
        self.waiting.append((cell, not buys))


def prepared():
    engine = BacktestEngine(BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True)))
    engine.add_venue(
        Venue("BINANCE"),
        OmsType.NETTING,
        AccountType.CASH,
        # It reckons balances in doubles and stops when they do not add up: larger ones do so soon.
        starting_balances=[Money(100, BTC), Money(1_000_000, USDT)],
    )
    engine.add_instrument(instrument)
    engine.add_data(bars)
    strategy = Ladder()
    engine.add_strategy(strategy)
    return engine, strategy


engine, strategy = prepared()
_, millis = peer.timed(engine.run)
peer.tell(f"NautilusTrader {nautilus_trader.__version__}", millis, strategy.fills)
