import Encodings

/// Text that arrives in pieces. While the pieces are adjacent in the page, as nearly always, it copies nothing.
struct TextRun {
    private let source: Bytes
    private var piece = Bytes(start: nil, count: 0)
    /// A copy of pieces that are not adjacent, or not in the page.
    private var gathered: [UInt8] = []

    /// - Parameter source: the page, which must outlive the text.
    init(in source: Bytes) {
        self.source = source
    }

    mutating func append(_ bytes: Bytes) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        if gathered.isEmpty, stands(start) {
            guard let first = piece.baseAddress else {
                piece = bytes
                return
            }
            if first + piece.count == start {
                piece = Bytes(start: first, count: piece.count + bytes.count)
                return
            }
        }
        gathered.append(contentsOf: piece)
        piece = Bytes(start: nil, count: 0)
        gathered.append(contentsOf: bytes)
    }

    private func stands(_ start: UnsafePointer<UInt8>) -> Bool {
        guard let page = source.baseAddress else { return false }
        return start >= page && start < page + source.count
    }

    mutating func removeAll() {
        piece = Bytes(start: nil, count: 0)
        if !gathered.isEmpty { gathered.removeAll(keepingCapacity: true) }
    }

    func withBytes<Result>(_ body: (Bytes) -> Result) -> Result {
        gathered.isEmpty ? body(piece) : gathered.withUnsafeBufferPointer(body)
    }
}
