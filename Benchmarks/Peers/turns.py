"""How a peer is run: once, or one turn for each line of standard input.

    python PEER.py URL AUTHORITY FOLDER
    python PEER.py URL AUTHORITY FOLDER turns
"""

import sys
import time
from pathlib import Path


def run(fetch):
    """Calls fetch(url, authority, file) once, or at each line, and prints how many nanoseconds a turn took."""
    url, authority, folder = sys.argv[1:4]
    file = Path(folder) / "statement.pdf"
    if sys.argv[4:] != ["turns"]:
        return fetch(url, authority, file)
    for _ in sys.stdin:
        begun = time.perf_counter_ns()
        fetch(url, authority, file)
        print(time.perf_counter_ns() - begun, flush=True)
