// Tests of BankScript.
