// BankScript: the language.
