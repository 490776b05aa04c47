/// Joins the CAMT files of one answer: some banks send one for each day.
enum CAMTFiles {
    /// Returns one file with the statements or reports of all.
    ///
    /// The files must have the same head, up to their first statement or report, except for the group header. Only whole
    /// elements are moved, byte for byte.
    ///
    /// - Returns: nil when the files do not fit together.
    static func joined(_ files: [[UInt8]]) -> [UInt8]? {
        guard let first = files.first else { return nil }
        guard files.count > 1 else { return first }
        let parts = files.map(Part.init)
        guard let head = parts[0],
            !parts.contains(where: { $0 == nil || $0?.root != head.root || $0?.name != head.name })
        else {
            return nil
        }
        return Array(head.before) + parts.compactMap { $0?.content }.joined() + Array(head.after)
    }

    private struct Part {
        let before: ArraySlice<UInt8>
        let content: ArraySlice<UInt8>
        let after: ArraySlice<UInt8>
        /// The start tag of the document, which names the version of the format.
        let root: [UInt8]
        /// `Stmt` or `Rpt`, with the prefix of its namespace.
        let name: [UInt8]

        init?(_ file: [UInt8]) {
            for name in ["Stmt", "Rpt"] {
                guard let start = Self.startTag(name, in: file), let end = Self.end(of: start.name, in: file),
                    start.place < end, let root = Self.startTag("Document", in: file),
                    let close = file[root.place...].firstIndex(of: UInt8(ascii: ">"))
                else { continue }
                before = file[..<start.place]
                content = file[start.place..<end]
                after = file[end...]
                self.root = Array(file[root.place...close])
                self.name = start.name
                return
            }
            return nil
        }

        /// Finds the first start tag with a local name, whatever its prefix.
        private static func startTag(_ local: String, in file: [UInt8]) -> (place: Int, name: [UInt8])? {
            var place = 0
            while let open = file[place...].firstIndex(of: UInt8(ascii: "<")) {
                let name = file[(open + 1)...].prefix {
                    ![0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ">"), UInt8(ascii: "/")].contains($0)
                }
                if name.split(separator: UInt8(ascii: ":")).last.map(Array.init) == Array(local.utf8) {
                    return (open, Array(name))
                }
                place = open + 1
            }
            return nil
        }

        /// Finds the place behind the last end tag with a name.
        private static func end(of name: [UInt8], in file: [UInt8]) -> Int? {
            let tag = Array("</".utf8) + name + Array(">".utf8)
            guard file.count >= tag.count else { return nil }
            var place = file.count - tag.count
            while place >= 0 {
                if file[place] == tag[0], file[place..<(place + tag.count)].elementsEqual(tag) {
                    return place + tag.count
                }
                place -= 1
            }
            return nil
        }
    }
}
