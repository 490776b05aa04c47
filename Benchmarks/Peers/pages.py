"""Parsing and selecting by others.

    python pages.py lxml|selectolax FILE

At each line of standard input it parses the page (an empty line) or selects from it, and prints how many nanoseconds that
took and how many elements were found.
"""

import sys
import time
from pathlib import Path

from lxml import html
from selectolax.lexbor import LexborHTMLParser

PEERS = {
    "lxml": (html.fromstring, lambda page, selector: page.cssselect(selector)),
    "selectolax": (LexborHTMLParser, lambda page, selector: page.css(selector)),
}

parse, select = PEERS[sys.argv[1]]
source = Path(sys.argv[2]).read_bytes()
page = parse(source)
for line in sys.stdin:
    selector = line.strip()
    begun = time.perf_counter_ns()
    found = select(page, selector) if selector else [parse(source)]
    count = len(found)
    # What was made is part of the work until it is gone.
    del found
    print(time.perf_counter_ns() - begun, count, flush=True)
