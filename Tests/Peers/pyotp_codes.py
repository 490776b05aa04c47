"""Reads lines with a time and an otpauth URI, and writes the code that pyotp computes for each."""

import sys

import pyotp

for line in sys.stdin:
    time, uri = line.split(" ", 1)
    print(pyotp.parse_uri(uri.strip()).at(int(time)))
