import Foundation
import Testing

@testable import Phone

@Suite("Paths of the phone's machine")
struct LocalPathsTests {
    private static let inbox = "/srv/robin ashdown's/Statement Inbox"
    private static let home = FileManager.default.homeDirectoryForCurrentUser.path
    private let paths = LocalPaths([URL(filePath: inbox), URL(filePath: "/srv/robin ashdown's")])

    @Test(
        "are removed from words that leave the phone",
        arguments: [
            ("the inbox \(inbox) does not exist; check it", "the inbox * does not exist; check it"),
            ("“\(inbox)/a.pdf.tmp”: no space left", "“*”: no space left"),
            ("\(inbox)/a.pdf, \(inbox)/b.pdf", "*, *"),
            ("rename \(home)/.local/x/y.pdf failed", "rename * failed"),
            ("at \(FileManager.default.temporaryDirectory.path.trimmingSuffix("/")): full", "at *: full"),
            ("the inbox /srv/robin ashdo…", "the inbox *"),
            ("cannot be written: \(home.prefix(home.count - 1))…", "cannot be written: *"),
        ])
    func removed(text: String, wanted: String) {
        #expect(paths.removed(from: text) == wanted.replacing("*", with: LocalPaths.standIn))
    }

    @Test(
        "of a bank's site stay",
        arguments: ["GET /accounts/statements answered 500", "“/srv” is not a link", "a/b…", "no path at all"])
    func kept(text: String) { #expect(paths.removed(from: text) == text) }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
