import Foundation

@testable import FileKinds

/// Reads the input as the text of one booking (MT940, field 86), in whatever dialect it is.
///
/// The peer is the same file with a text of no dialect: a text may change what a person reads, and no figure.
func fuzzBookingText(_ input: [UInt8]) {
    // A line that begins with one of these marks ends the text.
    let marks: Set<Unicode.Scalar?> = [":", "-", "{", nil]
    let lines = String(decoding: input, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
        .filter { line in !marks.contains(line.unicodeScalars.first { $0.value >= 0x20 }) }
    guard !lines.isEmpty, lines.count < 90, let plain = statement(of: ["Coffee"]), let read = statement(of: lines)
    else {
        return
    }
    let (other, booking) = (plain.transactions[0], read.transactions)
    promise(booking.count == 1, "a text makes no booking, and takes none away: \(booking.count)")
    promise(
        booking[0].amount == other.amount && booking[0].currency == other.currency
            && booking[0].booked == other.booked && booking[0].valued == other.valued,
        "a text changes no figure: \(booking[0])")
    promise(
        read.opening == plain.opening && read.closing == plain.closing && read.currency == plain.currency
            && read.account == plain.account, "a text changes no balance")
    let written = lines.joined().unicodeScalars.filter { !$0.properties.isWhitespace }
    for text in [booking[0].counterparty, booking[0].purpose] {
        for word in text.split(whereSeparator: \.isWhitespace) {
            promise(isPart(word.unicodeScalars, of: written), "a word was written: \(word)")
        }
    }
}

/// Returns the statement with one booking of a text; nil where the file is refused.
private func statement(of text: [String]) -> Statement? {
    let file = """
        :20:STARTUMS
        :25:12345678/0123456789
        :28C:11/1
        :60F:C251031EUR100,00
        :61:2511031103DR12,50NTRFNONREF
        :86:\(text.joined(separator: "\n"))
        :62F:C251130EUR87,50
        -

        """
    guard let statements = try? TransactionFile.read(Array(file.utf8), as: .mt940) else { return nil }
    promise(statements.count == 1, "a text makes no statement: \(statements.count)")
    return statements.first
}

/// True if the first has letters of the second, in their order.
private func isPart(_ part: some Sequence<Unicode.Scalar>, of whole: some Sequence<Unicode.Scalar>) -> Bool {
    var rest = whole.makeIterator()
    for letter in part {
        repeat {
            guard let next = rest.next() else { return false }
            if next == letter { break }
        } while true
    }
    return true
}
