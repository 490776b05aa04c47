// DefaultBank: Meridian Savings.
