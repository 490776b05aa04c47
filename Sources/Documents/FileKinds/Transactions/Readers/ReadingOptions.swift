/// Facts that some formats leave open, and the person knows.
public struct ReadingOptions: Sendable, Hashable {
    /// The order of day and month in dates of digits.
    public enum DateOrder: String, Sendable, Hashable, CaseIterable {
        case dayMonthYear = "dmy"
        case monthDayYear = "mdy"
        case yearMonthDay = "ymd"
    }

    /// For QIF and CSV, which may name none.
    public var account = ""
    /// For QIF, which has none, and for CSV without a column for it.
    public var currency = ""
    /// For QIF and CSV; found out from the file when nil, if it can be.
    public var dateOrder: DateOrder?
    /// For QIF, OFX and CSV, a full stop or a comma; found out from the file when nil, if it can be.
    public var decimalMark: Character?
    public var columns: CSVColumns?
    /// The code page of a file of text that is neither UTF-8 nor UTF-16; found out from its letters when nil.
    public var encoding: CodePage?
    /// Makes a booking of each payment of a CAMT batch whose payments add up; otherwise a batch is one booking.
    public var splitsBatches = false
    /// Leaves out bookings that cannot be read, and counts them in ``Statement/unreadable``; otherwise they refuse the file.
    public var skipsUnreadable = false
    public var limits = ReadingLimits()

    public init() {}
}
