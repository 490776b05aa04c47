import Automation
import Foundation

/// A picture of a bank's question in a file that only its owner can read, until it is removed.
struct ShownPicture {
    /// Kinds of pictures that run nothing when a browser opens them. SVG, for one, can carry a script of the bank's.
    private static let suffixes = ["image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"]

    /// The place of the picture, or the reason why it is not shown: the beginning of a question.
    let words: String
    /// A new folder that has nothing but the picture; nil when the picture is not shown.
    private let folder: URL?

    /// - Parameter parent: where the folder is made.
    /// - Throws: when the file cannot be written.
    init(_ picture: Prompt.Picture, in parent: URL = FileManager.default.temporaryDirectory) throws {
        let type = picture.mediaType.lowercased().prefix { $0 != ";" }
        guard let suffix = Self.suffixes[String(type)] else {
            folder = nil
            words = "The bank's picture is of a kind that is not shown (\(type)); see it in your browser. "
            return
        }
        let folder = parent.appending(path: "code-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let file = folder.appending(path: "code.\(suffix)")
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(picture.bytes), attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("\(file.path) cannot be written, so the bank's picture cannot be shown") }
        self.folder = folder
        words = "See \(file.path). "
    }

    func remove() {
        guard let folder else { return }
        try? FileManager.default.removeItem(at: folder)
    }
}
