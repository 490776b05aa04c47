/// The values that a reader left out or guessed, for the statement that it makes.
///
/// A value that is not needed costs a note. A booking that cannot be read costs the file, unless the person asked for the
/// rest of it: then it costs a note, and is counted.
struct Omissions {
    /// The most notes of a file: a fault in every line is one fault.
    private static let most = 20

    private let skipsUnreadable: Bool
    private(set) var unreadable = 0
    private var kept: [String] = []
    private var further = 0

    init(_ options: ReadingOptions) { skipsUnreadable = options.skipsUnreadable }

    /// The notes in the order of the file; of more than 20 the number of the others.
    var notes: [String] { further == 0 ? kept : kept + ["\(further) more of these are not listed"] }

    mutating func note(line: Int? = nil, _ sentence: String) {
        guard kept.count < Self.most else {
            further += 1
            return
        }
        let text = line.map { "line \($0): \(sentence)" } ?? sentence
        if !kept.contains(text) { kept.append(text) }
    }

    /// Returns the booking, or nil for one that cannot be read and may be left out.
    mutating func booking<Value>(_ read: () throws(ReadingError) -> Value) throws(ReadingError) -> Value? {
        do throws(ReadingError) {
            return try read()
        } catch {
            guard skipsUnreadable, error.isOfOneBooking else { throw error }
            unreadable += 1
            note("a booking is left out: \(error)")
            return nil
        }
    }

    /// Returns a value that is not needed; nil, and a note, for one that cannot be read.
    mutating func value<Value>(_ read: () throws(ReadingError) -> Value?) -> Value? {
        do throws(ReadingError) {
            return try read()
        } catch {
            note("\(error); the value is left out")
            return nil
        }
    }

    /// Hands the notes to a statement, and starts anew.
    mutating func give(to statement: inout Statement) {
        statement.notes += notes
        statement.unreadable += unreadable
        (kept, further, unreadable) = ([], 0, 0)
    }
}

extension ReadingError {
    /// True when the fault lies in one booking, so that the others can be read without it.
    fileprivate var isOfOneBooking: Bool {
        switch code {
        case .amount, .date, .currency, .syntax: true
        case .tooLarge, .tooDeep, .encoding, .wrongKind, .forbidden, .ambiguous: false
        }
    }
}
