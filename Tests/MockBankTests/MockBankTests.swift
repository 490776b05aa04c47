// Tests of MockBank.
