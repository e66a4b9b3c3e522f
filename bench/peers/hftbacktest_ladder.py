"""hftbacktest: a book with one price on each side, which moves to the low, the high and the close of each minute: four changes
for each of them. The compiled strategy looks once a minute and places what has filled the other way round."""

import hftbacktest
import numpy as np
from hftbacktest import (
    BUY_EVENT,
    DEPTH_EVENT,
    EXCH_EVENT,
    FILLED,
    GTC,
    LIMIT,
    LOCAL_EVENT,
    SELL_EVENT,
    BacktestAsset,
    ROIVectorMarketDepthBacktest,
)
from hftbacktest.types import event_dtype
from importlib.metadata import version
from numba import njit

import peer

tick = 0.01
minute = 60_000_000_000


def events():
    points = np.stack([peer.lows, peer.highs, peer.closes], axis=1).reshape(-1)
    is_low = np.arange(len(points)) % 3 == 0
    asks = np.where(is_low, points, points + tick)
    bids = np.where(is_low, points - tick, points)
    begun = int(peer.opened_at[0]) * 1_000_000
    at = begun + np.arange(len(points), dtype=np.int64) // 3 * minute
    at += (np.arange(len(points), dtype=np.int64) % 3 + 1) * (minute // 6)
    made = np.zeros(4 * len(points), event_dtype)
    # The old prices go before the new ones come, so that the book never crosses itself.
    before = lambda prices: np.concatenate([prices[:1], prices[:-1]])
    changes = ((SELL_EVENT, before(asks), 0), (BUY_EVENT, before(bids), 0), (BUY_EVENT, bids, 1000), (SELL_EVENT, asks, 1000))
    for place, (side, prices, quantity) in enumerate(changes):
        part = made[place::4]
        part["ev"] = EXCH_EVENT | LOCAL_EVENT | DEPTH_EVENT | side
        part["px"], part["qty"] = prices, quantity
        part["exch_ts"] = part["local_ts"] = at + place
    return made


@njit
def place(backtest, number, buys, cell, levels):
    if buys:
        backtest.submit_buy_order(0, number, levels[cell], 0.01, GTC, LIMIT, False)
    else:
        backtest.submit_sell_order(0, number, levels[cell + 1], 0.01, GTC, LIMIT, False)


@njit
def ladder(backtest, levels, first, bars, bar_of, buys_of, cell_of):
    buys = levels[:-1] < first
    cells = len(buys)
    numbers = np.zeros(cells, np.int64)
    filled = np.zeros(cells, np.bool_)
    next_number, count = 1, 0
    for bar in range(bars):
        if backtest.elapse(60_000_000_000) != 0:
            break
        orders = backtest.orders(0)
        any_filled = bar == 0
        for cell in range(cells):
            filled[cell] = bar == 0
            if bar > 0:
                order = orders.get(numbers[cell])
                if order is not None and order.status == FILLED:
                    filled[cell] = any_filled = True
                    bar_of[count], buys_of[count], cell_of[count] = bar, buys[cell], cell
                    count += 1
                    buys[cell] = not buys[cell]
        if not any_filled:
            continue
        backtest.clear_inactive_orders(0)
        for cell in range(cells):
            if filled[cell]:
                numbers[cell] = next_number
                place(backtest, next_number, buys[cell], cell, levels)
                next_number += 1
    return count


book = events()
logs = [np.empty(1_000_000, np.int64) for _ in range(3)]


def run():
    asset = (
        BacktestAsset()
        .data(book)
        .linear_asset(1.0)
        .constant_order_latency(1, 1)
        .risk_adverse_queue_model()
        .no_partial_fill_exchange()
        .trading_value_fee_model(0.0, 0.0)
        .tick_size(tick)
        .lot_size(0.01)
        .roi_lb(float(peer.lows.min() - 100 * tick))
        .roi_ub(float(peer.highs.max() + 100 * tick))
    )
    backtest = ROIVectorMarketDepthBacktest([asset])
    count = ladder(backtest, peer.levels, peer.closes[0], peer.bars, *logs)
    backtest.close()
    return count


count, millis = peer.timed(run)
peer.tell(f"hftbacktest {version('hftbacktest')}", millis, peer.unpacked(*logs, count))
