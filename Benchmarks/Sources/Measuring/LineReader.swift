import Foundation

/// The lines that a process prints, as they arrive.
public struct LineReader {
    private let handle: FileHandle
    private var rest: [UInt8] = []

    public init(_ handle: FileHandle) { self.handle = handle }

    public mutating func next() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = handle.availableData
            guard !more.isEmpty else { return nil }
            rest += more
        }
    }
}
