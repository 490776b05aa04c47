// MockBank: Meridian Savings, served.
