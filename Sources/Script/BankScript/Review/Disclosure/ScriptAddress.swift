import WebURL

extension BankScript {
    /// The origins as people read them.
    package var shownOrigins: [String] { origins.map { OriginText($0).shown } }

    /// Returns the origins that a reference can lead to, for what a person reads before a yes. A run refuses a reference whose
    /// filled-in form leads elsewhere (``leads(_:toOriginsOf:)``).
    package func destinations(of written: String) -> [String] {
        let origins = shownOrigins
        let reference = Self.asParserReads(written)
        if Self.isPath(reference) { return Array(origins.prefix(1)) }
        let text = String(reference)
        guard let scheme = text.firstRange(of: "://"),
            ["http", "https"].contains(text[..<scheme.lowerBound].lowercased())
        else { return origins }
        let authority = text[scheme.upperBound...].prefix { !"/?#\\".contains($0) }
        guard !authority.contains("{{") else { return origins }
        return [OriginText(String(text[..<scheme.upperBound] + authority)).shown]
    }

    /// Returns the address of a reference: a path is one of the script's first origin, whatever page is open.
    ///
    /// - Returns: nil for a path of a script without origins.
    package func address(of reference: String) -> String? {
        let read = Self.asParserReads(reference)
        guard Self.isPath(read) else { return String(read) }
        return origins.first.map { $0 + String(read) }
    }

    /// Returns whether a reference leads to the one origin that is shown for its written form, in which values are not filled in.
    /// True where the written form may lead to several: then each of them is shown.
    package func leads(_ reference: String, toOriginsOf written: String) -> Bool {
        let shown = destinations(of: written)
        let base = origins.first.flatMap { try? URLRecord(parsing: $0) }
        guard shown.count == 1, let url = try? URLRecord(parsing: address(of: reference) ?? reference, base: base),
            let origin = Origin(of: url)
        else { return true }
        let place = OriginText(origin.description).shown
        // To an origin that the script does not have nothing is sent, and that refusal says what helps.
        return shown == [place] || !shownOrigins.contains(place)
    }

    /// A reference without what the URL Standard's parser drops at its begin and within (section 4.4). In scalars: a combining mark
    /// makes another character of a slash, but not another URL.
    private static func asParserReads(_ text: String) -> String.UnicodeScalarView {
        String.UnicodeScalarView(
            text.unicodeScalars.drop { $0.value <= 0x20 }.filter { !["\t", "\n", "\r"].contains($0) })
    }

    /// Returns whether a reference is a path from the root of an origin. The parser takes a backslash for a slash, and two of either
    /// for the begin of another host.
    private static func isPath(_ reference: String.UnicodeScalarView) -> Bool {
        let slashes: [Unicode.Scalar] = ["/", "\\"]
        return reference.first.map(slashes.contains) == true
            && reference.dropFirst().first.map(slashes.contains) != true
    }
}
