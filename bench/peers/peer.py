"""What every peer shares: the candles and levels that peers.ts has written, how processor time is taken, and what is told back.

The workload is one ladder: between two neighbouring levels lies a cell, which buys at its lower level and then sells at its
upper one, again and again. A cell begins with a purchase when its lower level is below the first close. An order is live from the bar
after the one in which it was placed."""

import json
import sys
import time

import numpy as np

folder = sys.argv[1]
repeats = int(sys.argv[2])
size = 0.01
columns = np.fromfile(f"{folder}/candles.f64").reshape(6, -1)
opened_at, opens, highs, lows, closes, volumes = (np.ascontiguousarray(column) for column in columns)
bars = len(closes)
levels = np.array(json.load(open(f"{folder}/levels.json")))
cells = len(levels) - 1
first_buys = [bool(levels[cell] < closes[0]) for cell in range(cells)]


def timed(run):
    """Runs it once to warm up where it is repeated, and gives the last result with the median of the processor's milliseconds."""
    result = run() if repeats > 1 else None
    millis = []
    for _ in range(repeats):
        begun = time.process_time()
        result = run()
        millis.append((time.process_time() - begun) * 1e3)
    return result, sorted(millis)[len(millis) // 2]


def tell(name, millis, fills):
    """`fills`: of each the bar, whether it bought, and the cell."""
    rows = sorted([int(bar), int(bool(buys)), int(cell)] for bar, buys, cell in fills)
    print(json.dumps({"name": name, "millis": millis, "fills": rows}), flush=True)


def unpacked(bar_of, buys_of, cell_of, count):
    return [(bar_of[at], buys_of[at], cell_of[at]) for at in range(count)]
