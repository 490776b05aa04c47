// Tests of HTMLEngine.
