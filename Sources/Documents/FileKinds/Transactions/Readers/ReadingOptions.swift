/// Facts that some formats leave open, and the person knows.
package struct ReadingOptions: Sendable, Hashable {
    /// The order of day and month in dates of digits.
    package enum DateOrder: String, Sendable, Hashable, CaseIterable {
        case dayMonthYear = "dmy"
        case monthDayYear = "mdy"
        case yearMonthDay = "ymd"
    }

    /// For QIF and CSV, which may name none.
    package var account = ""
    /// For QIF, which has none, and for CSV without a column for it.
    package var currency = ""
    /// For QIF and CSV; found out from the file when nil, if it can be.
    package var dateOrder: DateOrder?
    /// For QIF, OFX and CSV, a full stop or a comma; found out from the file when nil, if it can be.
    package var decimalMark: Character?
    package var columns: CSVColumns?
    /// The code page of a file of text that is neither UTF-8 nor UTF-16; found out from its letters when nil.
    package var encoding: CodePage?
    /// Makes a booking of each payment of a CAMT batch whose payments add up; otherwise a batch is one booking.
    package var splitsBatches = false
    /// Leaves out bookings that cannot be read, and counts them in ``Statement/unreadable``; otherwise they refuse the file.
    package var skipsUnreadable = false
    /// The day of the reading, after which bookings are odd; nil where it is not known.
    package var today: CalendarDay?
    package var limits = ReadingLimits()

    package init() {}
}
