/// A method by which a bank asks for a second factor (FinTS 3.0, Security, Sicherheitsverfahren PIN/TAN, 2020-07-10,
/// HITANS versions 6 and 7: “Verfahrensparameter Zwei-Schritt-Verfahren”).
package struct TANMethod: Sendable, Hashable {
    /// The number that stands in a signature, 900…997, such as `946`.
    package let securityFunction: String
    /// The version of HKTAN that the method is for: 6 or 7.
    package let version: Int
    /// The bank's own name for it.
    package let name: String
    /// The method's name among banks, such as `Decoupled` or `HHDUC`; empty where the bank gives none.
    package let kind: String
    /// True if the name of a medium must be sent.
    package let needsMedium: Bool
    /// The rules for asking the bank whether the person has approved; nil for a method with a TAN to type.
    package let polling: Polling?
    /// The greatest length of a TAN in characters; nil when the bank does not say it.
    package let longestTAN: Int?

    package struct Polling: Sendable, Hashable {
        /// The number of questions that the bank allows.
        package let most: Int
        package let secondsBeforeFirst: Int
        package let secondsBetween: Int

        package init(most: Int, secondsBeforeFirst: Int, secondsBetween: Int) {
            self.most = most
            self.secondsBeforeFirst = secondsBeforeFirst
            self.secondsBetween = secondsBetween
        }
    }

    /// The number of elements that one method has in the list, by the version of HITANS.
    private static let width = [6: 21, 7: 26]

    /// The versions of HKTAN that this program writes. Older ones cannot release a sign-in.
    package static let versions = [6, 7]

    /// Reads the methods of one HITANS segment; none for another version.
    ///
    /// - Throws: ``FinTSFailure`` for a list that cannot be read.
    static func all(in segment: Segment) throws(FinTSFailure) -> [TANMethod] {
        guard let width = Self.width[segment.version] else { return [] }
        let elements = Array(segment.group(4).dropFirst(3))
        var methods: [TANMethod] = []
        for start in stride(from: 0, to: elements.count, by: width) {
            let method = Array(elements[start..<min(start + width, elements.count)])
            guard let function = method.element(1).text, function.utf8.count == 3,
                let process = method.element(2).text, ["1", "2"].contains(process)
            else { throw FinTSFailure(.garbled, "the bank's list of TAN methods cannot be read") }
            // Variant 1 signs a hash of a payment; reading needs variant 2.
            guard process == "2" else { continue }
            let kind = method.element(4).text ?? ""
            var polling: Polling?
            if segment.version == 7, kind.hasPrefix("Decoupled") {
                polling = Polling(
                    most: max(1, method.element(22).number ?? 60),
                    secondsBeforeFirst: method.element(23).number ?? 5,
                    secondsBetween: max(1, method.element(24).number ?? 2))
            }
            methods.append(
                TANMethod(
                    securityFunction: function, version: segment.version, name: method.element(6).text ?? function,
                    kind: kind, needsMedium: method.element(19).text == "2", polling: polling,
                    longestTAN: method.element(7).number))
        }
        return methods
    }
}
