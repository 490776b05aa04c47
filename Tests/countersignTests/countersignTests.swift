// Tests of countersign.
