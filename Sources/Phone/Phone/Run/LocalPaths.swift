import Foundation

/// Removes this machine's paths from words that leave the phone: a folder's name can hold the owner's, and an agent on another
/// machine has no use for it.
struct LocalPaths: Sendable {
    /// The words that stand for a path.
    static let standIn = "(a folder of the phone)"

    /// The folders whose paths are removed with all that lies in them.
    private let roots: [String]

    /// - Parameter folders: folders that the phone uses, besides its user's home and the folder for temporary files.
    init(_ folders: [URL]) {
        let all = folders + [FileManager.default.homeDirectoryForCurrentUser, FileManager.default.temporaryDirectory]
        let paths = all.flatMap { [$0.path, $0.resolvingSymlinksInPath().path] }
            .map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        // The longest first: a folder's own path is removed whole, also one with spaces, before that of the home around it.
        roots = Set(paths).filter { $0.count > 1 }.sorted { ($0.count, $0) > ($1.count, $1) }
    }

    /// Returns the text with ``standIn`` for each path. The end of the text may be a path that was cut off.
    func removed(from text: String) -> String {
        var text = text
        for root in roots {
            let pattern = NSRegularExpression.escapedPattern(for: root) + #"(?:/[^\s“”"'«»;,:)\]]*|(?![\w.-]))"#
            text = text.replacingOccurrences(of: pattern, with: Self.standIn, options: .regularExpression)
        }
        return withoutCutPath(text)
    }

    private func withoutCutPath(_ text: String) -> String {
        guard text.hasSuffix("…") else { return text }
        let whole = text.dropLast()
        for root in roots {
            for length in (2...root.count).reversed() where whole.hasSuffix(root.prefix(length)) {
                let before = whole.dropLast(length)
                guard before.last.map({ $0.isLetter || $0.isNumber }) != true else { continue }
                return before + Self.standIn
            }
        }
        return text
    }
}
