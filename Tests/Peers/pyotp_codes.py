"""Reads lines of a time and an otpauth URI, writes the code that pyotp makes of each."""

import sys

import pyotp

for line in sys.stdin:
    time, uri = line.split(" ", 1)
    print(pyotp.parse_uri(uri.strip()).at(int(time)))
