import Foundation
import Machine
import Secrets

/// The lines of a file descriptor, read on a thread of their own when the caller asks for the next one.
package struct LineReader: AsyncSequence, Sendable {
    private let descriptor: Int32

    /// The largest line, in bytes. A longer line is cut one byte after the limit, so that the reader of the JSON
    /// rejects it.
    private static let limit = 1 << 20

    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    package func makeAsyncIterator() -> Iterator { Iterator(descriptor: descriptor) }

    package struct Iterator: AsyncIteratorProtocol {
        private let descriptor: Int32
        private var rest: [UInt8] = []
        private var isOver = false

        init(descriptor: Int32) {
            self.descriptor = descriptor
        }

        /// Reads the next line.
        ///
        /// - Returns: the line without its line feed; nil at the end of the input.
        package mutating func next() async -> [UInt8]? {
            var line: [UInt8] = []
            while true {
                if let end = rest.firstIndex(of: 0x0A) {
                    line += rest[..<end]
                    rest.removeSubrange(...end)
                    return line
                }
                line += rest
                rest = []
                if line.count > LineReader.limit { line = Array(line.prefix(LineReader.limit + 1)) }
                guard !isOver else { return line.isEmpty ? nil : line }
                rest = await Self.read(descriptor)
                isOver = rest.isEmpty
            }
        }

        private static func read(_ descriptor: Int32) async -> [UInt8] {
            let bytes = try? await BlockingWork.run {
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                while true {
                    let count = Foundation.read(descriptor, &buffer, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    return Array(buffer.prefix(Swift.max(count, 0)))
                }
            }
            return bytes ?? []
        }
    }
}
