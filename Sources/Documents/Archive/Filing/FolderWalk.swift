import Foundation
import Machine

/// The files below a folder, found name by name.
///
/// Links are named and not followed. Names that begin with a full stop are the index's and other programs', and are passed
/// over.
struct FolderWalk {
    let root: URL

    /// Calls `file` with the path below the root of each file and link.
    ///
    /// - Parameter temporary: called with the path of each file whose name begins as our temporary files' do.
    /// - Throws: `FileError` for a folder that cannot be read, and what `file` throws.
    func visit(temporary: (String) -> Void = { _ in }, file: (String) throws -> Void) throws {
        var folders = [""]
        while let folder = folders.popLast() {
            let place = folder.isEmpty ? root.path : root.path + "/" + folder
            guard let stream = opendir(place) else { throw FileError("listed", place) }
            defer { closedir(stream) }
            while true {
                // The end of a folder and an error both give nil; only an error sets errno.
                errno = 0
                guard let entry = readdir(stream) else {
                    guard errno == 0 else { throw FileError("listed", place) }
                    break
                }
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
                }
                let path = folder.isEmpty ? name : folder + "/" + name
                guard !name.hasPrefix(".") else {
                    if name.hasPrefix(FiledFile.temporaryPrefix), name.hasSuffix(".tmp") { temporary(path) }
                    continue
                }
                if isFolder(Int32(entry.pointee.d_type), root.path + "/" + path) {
                    folders.append(path)
                } else {
                    try file(path)
                }
            }
        }
    }

    private func isFolder(_ type: Int32, _ path: String) -> Bool {
        guard type == Int32(DT_UNKNOWN) else { return type == Int32(DT_DIR) }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
