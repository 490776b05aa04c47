import Clocks
import FileKinds
import Foundation

/// The path of a document's file below the archive's folder, e.g. `{{ bank }}/{{ account }}/{{ year }}/{{ period }} {{ kind }}`.
///
/// The fields are `bank`, `account`, `year`, `month`, `period` and `kind`. The file's ending is added. Where a document has
/// no account, a part of the path that is the account alone is left out; where it has no month, year, month and period are
/// `undated`.
package struct FilingTemplate: Sendable, Hashable, CustomStringConvertible {
    enum Field: String, CaseIterable {
        case bank, account, year, month, period, kind
    }

    enum Piece: Hashable {
        case text(String)
        case field(Field)
    }

    package static let standard = FilingTemplate(
        parts: [
            [.field(.bank)], [.field(.account)], [.field(.year)], [.field(.period), .text(" "), .field(.kind)],
        ], text: "{{ bank }}/{{ account }}/{{ year }}/{{ period }} {{ kind }}")

    static let undated = "undated"

    /// The pieces of each part between slashes.
    let parts: [[Piece]]
    package let description: String

    private init(parts: [[Piece]], text: String) { (self.parts, description) = (parts, text) }

    /// Reads a template.
    ///
    /// - Throws: ``ArchiveError`` for an unknown field, and for a path that is absolute or leads out of the folder.
    package init(_ text: String) throws(ArchiveError) {
        var parts: [[Piece]] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            let pieces = try Self.pieces(part, of: text)
            let literals = pieces.compactMap { piece in if case .text(let text) = piece { text } else { nil } }
            let isUsable = literals.allSatisfy { literal in
                literal.unicodeScalars.allSatisfy { $0.value >= 0x20 && !"\\:*?\"<>|".unicodeScalars.contains($0) }
            }
            guard !pieces.isEmpty, part.first != ".", isUsable else {
                throw ArchiveError(
                    .invalid,
                    "the template “\(text)” has a part that is not a file name: “\(part)”; write a path such as \(Self.standard)"
                )
            }
            parts.append(pieces)
        }
        self.init(parts: parts, text: text)
    }

    private static func pieces(_ part: Substring, of template: String) throws(ArchiveError) -> [Piece] {
        var pieces: [Piece] = []
        var rest = part
        while let open = rest.range(of: "{{") {
            if open.lowerBound > rest.startIndex { pieces.append(.text(String(rest[..<open.lowerBound]))) }
            guard let close = rest.range(of: "}}", range: open.upperBound..<rest.endIndex) else {
                throw ArchiveError(.invalid, "the template “\(template)” opens a field with {{ and does not close it")
            }
            let name = rest[open.upperBound..<close.lowerBound].trimmingCharacters(in: .whitespaces)
            guard let field = Field(rawValue: name) else {
                let known = Field.allCases.map(\.rawValue).joined(separator: ", ")
                throw ArchiveError(
                    .invalid, "the template “\(template)” has a field “\(name)”; the fields are \(known)")
            }
            pieces.append(.field(field))
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    // MARK: Writing

    /// The facts of a document that are in its path.
    struct Facts: Hashable {
        var bank: String
        var account: String
        var period: MonthYear?
        /// The days of the month, where they are not all.
        var days: ClosedRange<Int>?
        var kind: FileKind

        /// The month, or the days of it: `2026-01`, or `2026-01-15 to 2026-01-31`.
        var span: String? {
            guard let period, let days else { return period?.description }
            func date(_ day: Int) -> String { "\(period)-" + (day < 10 ? "0" : "") + "\(day)" }
            return "\(date(days.lowerBound)) to \(date(days.upperBound))"
        }
    }

    /// Returns the path below the archive's folder.
    ///
    /// - Parameter number: from 2 on for a document whose path is taken by another one.
    func path(of facts: Facts, number: Int = 1) -> String {
        var names = parts.filter { !facts.account.isEmpty || $0 != [.field(.account)] }.map { pieces in
            SafeName.part(pieces.map { Self.text($0, of: facts) }.joined())
        }
        let last = names.removeLast()
        names.append(last + (number > 1 ? " (\(number))" : "") + "." + facts.kind.fileExtension)
        return names.joined(separator: "/")
    }

    private static func text(_ piece: Piece, of facts: Facts) -> String {
        guard case .field(let field) = piece else {
            guard case .text(let text) = piece else { return "" }
            return text
        }
        switch field {
        case .bank: return facts.bank
        case .account: return facts.account
        case .year: return facts.period.map { "\($0.year)" } ?? undated
        case .month: return facts.period.map { String($0.description.suffix(2)) } ?? undated
        case .period: return facts.span ?? undated
        case .kind: return facts.kind.rawValue
        }
    }
}
