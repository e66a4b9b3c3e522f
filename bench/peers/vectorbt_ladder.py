"""vectorbt: its flexible simulation calls compiled code for each order of a bar. The library has no resting orders, so that code
decides whether a bar reaches a level; the library books the order."""

import numpy as np
import pandas as pd
import vectorbt
from numba import njit
from vectorbt.portfolio import nb
from vectorbt.portfolio.enums import NoOrder

import peer


@njit
def before_all(context, highs, lows, levels):
    return levels[:-1] < context.close[0, 0], np.zeros(1, np.int64)


@njit
def before_bar(context, buys, next_cell, highs, lows, levels):
    next_cell[0] = 0
    return buys, next_cell


@njit
def order(context, buys, next_cell, highs, lows, levels):
    bar = context.i
    if bar > 0:
        for cell in range(next_cell[0], len(buys)):
            price = levels[cell] if buys[cell] else levels[cell + 1]
            if (lows[bar] <= price) if buys[cell] else (highs[bar] >= price):
                size = 0.01 if buys[cell] else -0.01
                buys[cell] = not buys[cell]
                next_cell[0] = cell + 1
                return 0, nb.order_nb(size=size, price=price)
    return -1, NoOrder


close = pd.Series(peer.closes)
inputs = (peer.highs, peer.lows, peer.levels)


def run():
    portfolio = vectorbt.Portfolio.from_order_func(
        close,
        order,
        *inputs,
        flexible=True,
        init_cash=1e9,
        pre_sim_func_nb=before_all,
        pre_sim_args=inputs,
        pre_segment_func_nb=before_bar,
        pre_segment_args=inputs,
        max_orders=600_000,
        max_logs=0,
        freq="1min",
    )
    return portfolio.orders.records


records, millis = peer.timed(run)
fills = []
for bar, side, price in zip(records["idx"], records["side"], records["price"]):
    level = int(np.argmin(np.abs(peer.levels - price)))
    fills.append((bar, side == 0, level if side == 0 else level - 1))
peer.tell(f"vectorbt {vectorbt.__version__}", millis, fills)
