import Encodings
import Foundation
import Machine

/// The scripts of a collection in one file of lines, so that a search reads bytes and no JSON.
package struct ScriptList: Sendable {
    private let bytes: [UInt8]

    private static let head = "countersign-scripts 1\n"
    /// The most bytes of a list: some million scripts.
    private static let largest = 256 << 20
    private static let fields = 8

    /// - Throws: ``CollectionError`` of kind `storage` for a file that is not such a list.
    package init(reading file: URL) throws(CollectionError) {
        do {
            bytes = try OpenedFile(file).bytes(atMost: Self.largest)
        } catch {
            throw CollectionError(.storage, "\(file.path) cannot be read: update the collection")
        }
        guard bytes.starts(with: Self.head.utf8) else {
            throw CollectionError(.storage, "\(file.path) is not a list of scripts: update the collection")
        }
    }

    package init(_ scripts: [ListedScript]) {
        var bytes = Array(Self.head.utf8)
        for script in scripts.sorted(by: { ($0.bankID, $0.path) < ($1.bankID, $1.path) }) {
            let shown = [
                script.bankID, script.name, script.country, script.kinds.joined(separator: ","), script.author,
                script.origins.joined(separator: " "), script.path,
            ].map(Self.field)
            bytes += Self.folded(shown.dropLast().joined(separator: " ")).utf8
            for field in shown {
                bytes.append(UInt8(ascii: "\t"))
                bytes += field.utf8
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        self.bytes = bytes
    }

    package func write(to file: URL) throws(CollectionError) {
        do {
            try AtomicFile.replaceUnderLock(bytes, to: file)
        } catch {
            throw CollectionError(.storage, "\(error)")
        }
    }

    /// The number of scripts.
    package var count: Int { bytes.count { $0 == UInt8(ascii: "\n") } - 1 }

    /// Writes a stranger's text as a part of a line.
    private static func field(_ text: String) -> String { text.inLine(limit: 300).replacing("\t", with: " ") }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased()
    }

    /// Returns the scripts whose words contain each of the query's, a bank of exactly that id first.
    ///
    /// - Parameter most: how many are returned.
    package func search(_ query: String, most: Int) -> [ListedScript] {
        let words = Self.folded(query).split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }
        let counts = words.map { count(of: $0, atMost: Self.often) }
        guard let fewest = counts.min(), fewest > 0, let index = counts.firstIndex(of: fewest) else { return [] }
        let rarest = words[index]
        var found: [ListedScript] = []
        var exact: [ListedScript] = []
        bytes.withUnsafeBufferPointer { all in
            func offset(of word: [UInt8], in range: Range<Int>) -> Int? {
                word.withUnsafeBufferPointer { word in
                    UnsafeBufferPointer(rebasing: all[..<range.upperBound])
                        .firstOffset(of: word, from: range.lowerBound)
                }
            }
            var place = Self.head.utf8.count
            while place < all.count, found.count < 20 * most {
                guard let hit = offset(of: rarest, in: place..<all.count) else { return }
                let start = (all[place..<hit].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }) ?? place
                let end = offset(of: [UInt8(ascii: "\n")], in: hit..<all.count) ?? all.count
                place = end + 1
                // What follows the first tab is for showing.
                let tab = offset(of: [UInt8(ascii: "\t")], in: start..<end) ?? end
                let isWhole = words.allSatisfy { offset(of: $0, in: start..<tab) != nil }
                guard isWhole, let script = Self.script(UnsafeBufferPointer(rebasing: all[start..<end])) else {
                    continue
                }
                if script.bankID == query { exact.append(script) } else { found.append(script) }
            }
        }
        let first = found.filter { Self.folded($0.name).hasPrefix(Self.folded(query)) }
        let rest = found.filter { !Self.folded($0.name).hasPrefix(Self.folded(query)) }
        return Array((exact + first + rest).prefix(most))
    }

    /// A word that occurs more often tells lines apart no better than another one.
    private static let often = 500

    /// Returns how often a word occurs in the list, counted up to a limit.
    private func count(of word: [UInt8], atMost limit: Int) -> Int {
        bytes.withUnsafeBufferPointer { all in
            word.withUnsafeBufferPointer { word in
                var count = 0
                var place = 0
                while count < limit, let hit = all.firstOffset(of: word, from: place) {
                    count += 1
                    place = hit + word.count
                }
                return count
            }
        }
    }

    /// Returns the scripts of a bank.
    package func scripts(ofBank id: String) -> [ListedScript] {
        search(id, most: 200).filter { $0.bankID == id }
    }

    private static func script(_ line: UnsafeBufferPointer<UInt8>) -> ListedScript? {
        let parts = String(decoding: line, as: UTF8.self)
            .split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == fields else { return nil }
        return ListedScript(
            bankID: parts[1], name: parts[2], country: parts[3], kinds: parts[4].split(separator: ",").map(String.init),
            author: parts[5], origins: parts[6].split(separator: " ").map(String.init), path: parts[7])
    }
}
