// Tests of SecondFactor.
