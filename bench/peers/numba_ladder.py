"""The ladder as a compiled loop in numba, every order in every bar, with the drawdown at each close: no engine, only the work."""

import numba
import numpy as np

import peer


@numba.njit
def ladder(highs, lows, closes, levels, bar_of, buys_of, cell_of):
    cells = len(levels) - 1
    buys = levels[:-1] < closes[0]
    base, quote, peak, drawdown, count = 1e8, 1e10, 0.0, 0.0, 0
    for bar in range(1, len(closes)):
        for cell in range(cells):
            price = levels[cell] if buys[cell] else levels[cell + 1]
            if (lows[bar] > price) if buys[cell] else (highs[bar] < price):
                continue
            side = 1.0 if buys[cell] else -1.0
            base += side * 0.01
            quote -= side * 0.01 * price
            bar_of[count], buys_of[count], cell_of[count] = bar, buys[cell], cell
            count += 1
            buys[cell] = not buys[cell]
        worth = quote + base * closes[bar]
        if worth > peak:
            peak = worth
        drawdown = max(drawdown, (peak - worth) / peak)
    return count, base, quote, drawdown


logs = [np.empty(1_000_000, np.int64) for _ in range(3)]
(count, *_), millis = peer.timed(lambda: ladder(peer.highs, peer.lows, peer.closes, peer.levels, *logs))
peer.tell(f"numba {numba.__version__}, a loop over all orders", millis, peer.unpacked(*logs, count))
