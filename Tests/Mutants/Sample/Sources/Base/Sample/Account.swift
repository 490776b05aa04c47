/// An account of which `check` knows by how many ways of breaking it the tests notice.
public final class Account {
    public private(set) var balance = 0

    public init() {}

    public func deposit(_ amount: Int) -> Bool {
        guard amount > 0 else { return false }
        balance += amount
        return true
    }

    public func withdraw(_ amount: Int) -> Bool {
        guard amount > 0 && amount <= balance else { return false }
        balance -= amount
        return true
    }

    /// The longest name of an account. No test looks at it.
    public static func fits(_ name: String) -> Bool {
        name.count < 20
    }

    /// Waits for itself when its only statement is removed.
    public static func countdown(from start: Int) -> Int {
        var left = start
        while left > 0 {
            left -= 1
        }
        return left
    }
}
