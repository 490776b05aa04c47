// Tests of DefaultBank.
