/// A message of the bank, taken out of its envelope.
package struct BankMessage: Sendable {
    package let dialogID: String
    /// Counts the bank's messages of a dialog from 1.
    package let number: Int
    /// The segments between the head and the end.
    package let segments: [Segment]
    package let answers: [BankAnswer]

    /// Reads a message (FinTS 3.0, Formals, chapter B.5: HNHBK, HNHBS).
    ///
    /// - Throws: ``FinTSFailure`` of the kind `garbled` for anything that breaks the rules.
    package init(_ bytes: [UInt8]) throws(FinTSFailure) {
        let outer = try Self.segments(bytes)
        guard outer.count >= 2, outer[0].code == "HNHBK", outer[0].version == 3, let last = outer.last,
            last.code == "HNHBS"
        else { throw Self.garbled("the bank's answer does not begin and end as a message does") }
        // The size is mandatory. HTTP tells where the message ends, so a bank that leaves it out is understood.
        if let size = outer[0].element(1).text, !size.isEmpty {
            guard size.utf8.count == 12, Int(size) == bytes.count else {
                throw Self.garbled("the bank's answer says another size than it has")
            }
        }
        guard outer[0].element(2).text == "300" else {
            throw FinTSFailure(
                .notOffered, "the bank answers in another version than FinTS 3.0; ask it for its address")
        }
        guard let dialogID = outer[0].element(3).text, (1...30).contains(dialogID.utf8.count),
            let number = outer[0].element(4).number, number > 0, last.element(1).number == number
        else { throw Self.garbled("the bank's answer has no dialog or no number") }
        self.dialogID = dialogID
        self.number = number
        let content = Array(outer.dropFirst().dropLast())
        segments = try Self.unwrapped(content)
        let envelope: Set<String> = ["HNHBK", "HNHBS", "HNVSK", "HNVSD"]
        guard !segments.contains(where: { envelope.contains($0.code) }) else {
            throw Self.garbled("the bank's answer has a second head, end or envelope")
        }
        guard segments.count(where: { $0.code == "HIRMG" }) == 1,
            segments.first(where: { $0.code.hasPrefix("HI") })?.code == "HIRMG"
        else {
            throw Self.garbled("the bank's answer does not say once, at its beginning, whether it took the message")
        }
        answers = try BankAnswer.all(in: segments)
        guard answers.contains(where: { $0.segment == nil }) else {
            throw Self.garbled("the bank's answer has no code for the message")
        }
    }

    private static func unwrapped(_ content: [Segment]) throws(FinTSFailure) -> [Segment] {
        guard content.contains(where: { $0.code == "HNVSK" || $0.code == "HNVSD" }) else { return content }
        guard content.count == 2, content[0].code == "HNVSK", content[1].code == "HNVSD",
            let inner = content[1].element(1).bytes
        else { throw garbled("the envelope of the bank's answer is damaged") }
        return try segments(inner)
    }

    private static func segments(_ bytes: [UInt8]) throws(FinTSFailure) -> [Segment] {
        do {
            return try SegmentReader.segments(of: bytes)
        } catch {
            throw garbled("the bank's answer is not a FinTS message: \(error)")
        }
    }

    static func garbled(_ problem: String) -> FinTSFailure {
        FinTSFailure(.garbled, "\(problem). Check the address in the bank's file; nothing is sent again.")
    }

    /// Returns the segments with a code that answer one of the customer's, or the message as a whole.
    ///
    /// - Throws: ``FinTSFailure`` when the bank sent the same segment twice.
    package func segments(_ code: String, answering number: Int? = nil) throws(FinTSFailure) -> [Segment] {
        let found = segments.filter { $0.code == code && (number == nil || $0.reference == number) }
        var seen: Set<[UInt8]> = []
        for segment in found {
            var unnumbered = segment
            unnumbered.number = 0
            let bytes = (try? SegmentWriter.bytes(of: [unnumbered])) ?? []
            guard seen.insert(bytes).inserted else { throw Self.garbled("the bank sent the same \(code) twice") }
        }
        return found
    }

    /// Returns the one segment with a code; nil without one.
    package func segment(_ code: String) throws(FinTSFailure) -> Segment? {
        let found = segments.filter { $0.code == code }
        guard found.count <= 1 else { throw Self.garbled("the bank sent \(code) \(found.count) times") }
        return found.first
    }

    /// Returns whether the bank gave a code, to one of the customer's segments or to any.
    package func has(_ code: String, for number: Int? = nil) -> Bool {
        answers.contains { $0.code == code && (number == nil || $0.segment == nil || $0.segment == number) }
    }
}
