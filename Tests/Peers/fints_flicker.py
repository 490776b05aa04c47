"""Turns each line of standard input, a challenge for a reader of bank cards, into the frames that python-fints draws."""
import sys

from fints.hhd.flicker import code_to_bitstream

for line in sys.stdin:
    print(",".join(code_to_bitstream(line.strip())))
