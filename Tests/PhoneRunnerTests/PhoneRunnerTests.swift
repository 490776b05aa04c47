// Tests of PhoneRunner.
