import Encodings

extension FileKind {
    /// The answer of a bank's interface, as the bank gave it.
    package static let json = FileKind(
        "json", words: "a JSON file",
        // An object, or a list of objects, of lists or of nothing: a line of CSV may begin with a bracket, too.
        isMarked: { start in
            let inside = start.lower.dropFirst().drop { $0.isWhitespace }.first
            return start.lower.hasPrefix("{")
                ? inside == "\"" || inside == "}"
                : start.lower.hasPrefix("[") && ["{", "[", "]"].contains(inside)
        },
        // Strict JSON (RFC 8259, RFC 7493), nested at most 64 deep.
        check: { bytes, _, _ throws(FileRefusal) in
            do throws(JSONError) {
                _ = try JSONReader.read(bytes, limits: JSONLimits(size: max(1, bytes.count)))
                return Findings()
            } catch {
                throw FileRefusal.json(error)
            }
        })
}
