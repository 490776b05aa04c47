/// What a request may choose, with its range: the phone refuses a request outside it before it is shown.
public struct Parameter: Sendable, Hashable {
    public var name: String
    /// The allowed whole numbers, both ends included.
    public var range: ClosedRange<Int>

    public init(_ name: String, in range: ClosedRange<Int>) {
        self.name = name
        self.range = range
    }

    /// `month` 1…12 and `year` 1990…2100.
    public static let statementPeriod = [Parameter("month", in: 1...12), Parameter("year", in: 1990...2100)]
}
