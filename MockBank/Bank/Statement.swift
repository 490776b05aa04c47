/// The transactions of an account in a month: always the same for the same account and month.
struct Statement: Sendable {
    struct Transaction: Sendable {
        let day: Int
        let text: String
        /// In cents; negative for a payment.
        let amount: Int
        let balance: Int
    }

    let account: Account
    let month: Month
    let opening: Int
    private(set) var transactions: [Transaction]

    var closing: Int { transactions.last?.balance ?? opening }
    var fileName: String { "\(fileStem).pdf" }

    private static let payees = [
        "Greenleaf Grocers", "City Transit", "Harbour Coffee", "Northwind Energy", "Paper & Quill Books",
        "Bluebird Telecom", "Old Mill Bakery", "Tidewater Gym", "Maple Street Pharmacy", "Lantern Cinema",
        "Fairway Insurance", "Copper Kettle", "Riverside Parking", "Bright Dental Care", "Hillside Garden Centre",
    ]

    init(account: Account, month: Month) {
        self.account = account
        self.month = month
        opening = account.balance(endOf: month.previous)
        var generator = SeededGenerator("\(account.id)/transactions/\(month)")
        let count = Int.random(in: 9...18, using: &generator)
        var entries: [(day: Int, text: String, amount: Int)] = (0..<count).map { _ in
            (
                Int.random(in: 1...month.days, using: &generator),
                Self.payees.randomElement(using: &generator)!,
                -Int.random(in: 320...14_900, using: &generator)
            )
        }
        // The last entry makes up the difference to the closing balance.
        let rest = account.balance(endOf: month) - opening - entries.reduce(0) { $0 + $1.amount }
        entries.append((25, rest >= 0 ? "Salary, Aldershaw & Sons" : "Transfer to Rainy Day Savings", rest))
        var balance = opening
        transactions = entries.sorted { ($0.day, $0.text, $0.amount) < ($1.day, $1.text, $1.amount) }.map { entry in
            balance += entry.amount
            return Transaction(day: entry.day, text: entry.text, amount: entry.amount, balance: balance)
        }
    }
}

extension Statement {
    /// Returns the statement with the transactions of some days alone.
    func during(_ days: ClosedRange<Int>) -> Statement {
        var statement = self
        statement.transactions = transactions.filter { days.contains($0.day) }
        return statement
    }
}

/// Formats an amount in cents as the bank prints it: `1,234.56`.
func money(_ cents: Int) -> String {
    let whole = String(cents.magnitude / 100)
    var grouped = ""
    for (index, digit) in whole.enumerated() {
        if index > 0, (whole.count - index).isMultiple(of: 3) { grouped.append(",") }
        grouped.append(digit)
    }
    let fraction = cents.magnitude % 100
    return "\(cents < 0 ? "-" : "")\(grouped).\(fraction < 10 ? "0" : "")\(fraction)"
}

/// A generator of the same numbers for the same seed on every machine (SplitMix64; Steele, Lea, Flood, 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Seeds the generator with the FNV-1a hash of a text.
    init(_ seed: String) {
        state = seed.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
