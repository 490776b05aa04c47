// Tests of Selectors.
