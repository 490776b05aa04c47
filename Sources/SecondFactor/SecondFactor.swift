// SecondFactor: TOTP.
