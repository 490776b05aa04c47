import CLibCurl
import CZlib
import Encodings

/// The content codings of an answer (RFC 9110, section 8.4), undone as browsers do it.
///
/// libcurl refuses what browsers read: bytes after the end of gzip, several members of gzip (RFC 1952, section 2.2), and a
/// name of an unknown coding, such as `UTF-8`. So its own decoding is off.
final class ContentCoding {
    /// The value of `Accept-Encoding`.
    static let accepted: String = {
        let more = [(countersign_has_brotli(), "br"), (countersign_has_zstd(), "zstd")].filter { $0.0 != 0 }.map(\.1)
        return (["gzip", "deflate"] + more).joined(separator: ", ")
    }()

    /// In the order in which they are undone.
    private let stages: [any ContentDecoder]

    /// - Returns: nil when the answer has no coding that is known.
    init?(_ headers: [HTTPHeader]) {
        let names = headers.filter { $0.isNamed("content-encoding") }
            .flatMap { $0.value.split(separator: ",") }
            .map { $0.filter { !$0.isWhitespace }.loweringCase }
        let stages = names.reversed().compactMap { name -> (any ContentDecoder)? in
            switch name {
            case "gzip", "x-gzip": Inflating(isGzip: true)
            case "deflate": Inflating(isGzip: false)
            case "br": CodedStream.brotli
            case "zstd": CodedStream.zstd
            default: nil
            }
        }
        guard !stages.isEmpty else { return nil }
        self.stages = stages
    }

    /// Decodes the next bytes of the body.
    ///
    /// - Parameter take: receives what is decoded; it returns false to end the exchange.
    func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> CodingOutcome {
        decode(bytes, at: 0, take)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, at index: Int, _ take: (UnsafeRawBufferPointer) -> Bool
    ) -> CodingOutcome {
        guard index < stages.count else { return take(bytes) ? .goesOn : .stopped }
        return stages[index].decode(bytes) { decode($0, at: index + 1, take) }
    }

    /// True if each coding that began has come to its end.
    var isComplete: Bool { stages.allSatisfy(\.isComplete) }
}

enum CodingOutcome {
    case goesOn
    /// The receiver ended the exchange.
    case stopped
    case malformed
}

/// One coding of a body.
protocol ContentDecoder: AnyObject {
    /// True at the end of the coded data, and before its first byte.
    var isComplete: Bool { get }
    func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> CodingOutcome) -> CodingOutcome
}

private let roomForDecoded = 64 << 10

/// gzip (RFC 1952), and deflate, which is zlib's format (RFC 1950) or, from old servers, bare (RFC 1951).
private final class Inflating: ContentDecoder {
    private enum State {
        case beforeStart, inside
        /// After a member of gzip: another one may follow.
        case betweenMembers
        /// Nothing more belongs to the coded data.
        case afterEnd
        /// The data is not coded at all.
        case plain
    }

    private static let gzipMark: [UInt8] = [0x1F, 0x8B]

    private let isGzip: Bool
    private var state = State.beforeStart
    private var stream = z_stream()
    private var isOpen = false
    /// The first byte, where it came alone.
    private var head: [UInt8] = []

    init(isGzip: Bool) {
        self.isGzip = isGzip
    }

    deinit { if isOpen { inflateEnd(&stream) } }

    var isComplete: Bool { state != .inside && head.isEmpty }

    func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> CodingOutcome) -> CodingOutcome {
        switch state {
        case .beforeStart, .betweenMembers:
            let start = head + bytes.prefix(2 - head.count)
            guard start.count == 2 else {
                head = start
                return .goesOn
            }
            guard begin(with: start) else { return .malformed }
            let earlier = head
            head = []
            if !earlier.isEmpty {
                let outcome = earlier.withUnsafeBytes { decode($0, take) }
                guard case .goesOn = outcome else { return outcome }
            }
            return decode(bytes, take)
        case .inside: return inflate(bytes, take)
        case .afterEnd: return .goesOn
        case .plain: return bytes.isEmpty ? .goesOn : take(bytes)
        }
    }

    /// - Parameter start: the first two bytes.
    /// - Returns: false when the memory is used up.
    private func begin(with start: [UInt8]) -> Bool {
        let isMember = start == Self.gzipMark
        guard state == .beforeStart else {
            state = isMember ? .inside : .afterEnd
            return !isMember || inflateReset(&stream) == Z_OK
        }
        if isGzip, !isMember {
            state = .plain
            return true
        }
        let isZlib = start[0] & 0x0F == 8 && (Int(start[0]) << 8 | Int(start[1])).isMultiple(of: 31)
        let windowBits = isMember ? MAX_WBITS + 16 : isZlib ? MAX_WBITS : -MAX_WBITS
        isOpen = countersign_inflate_begin_with(&stream, windowBits) == Z_OK
        state = .inside
        return isOpen
    }

    private func inflate(
        _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> CodingOutcome
    ) -> CodingOutcome {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return .goesOn }
        stream.next_in = UnsafeMutablePointer(mutating: base)
        stream.avail_in = UInt32(bytes.count)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: roomForDecoded) { room in
            while true {
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(roomForDecoded)
                let result = CZlib.inflate(&stream, Z_NO_FLUSH)
                let count = roomForDecoded - Int(stream.avail_out)
                if count > 0 {
                    let outcome = take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]))
                    guard case .goesOn = outcome else { return outcome }
                }
                switch result {
                case Z_STREAM_END:
                    state = isGzip ? .betweenMembers : .afterEnd
                    let rest = UnsafeRawBufferPointer(rebasing: bytes.suffix(Int(stream.avail_in)))
                    return rest.isEmpty ? .goesOn : decode(rest, take)
                case Z_OK where stream.avail_in > 0 || stream.avail_out == 0: continue
                case Z_OK, Z_BUF_ERROR: return .goesOn
                default: return .malformed
                }
            }
        }
    }
}

/// A coding of a library that libcurl brings with it.
private final class CodedStream: ContentDecoder {
    typealias Step = (
        UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<Int>,
        UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>
    ) -> Int32

    private let decoder: UnsafeMutableRawPointer
    private let step: Step
    private let end: (UnsafeMutableRawPointer) -> Void
    private(set) var isComplete = true

    /// Nil where the library is missing; the body then stays coded, so that it is neither a page nor a document.
    static var brotli: CodedStream? {
        countersign_brotli_begin().map {
            CodedStream($0, { countersign_brotli_decode($0, $1, $2, $3, $4) }, { countersign_brotli_end($0) })
        }
    }

    static var zstd: CodedStream? {
        countersign_zstd_begin().map {
            CodedStream($0, { countersign_zstd_decode($0, $1, $2, $3, $4) }, { countersign_zstd_end($0) })
        }
    }

    private init(
        _ decoder: UnsafeMutableRawPointer, _ step: @escaping Step, _ end: @escaping (UnsafeMutableRawPointer) -> Void
    ) {
        self.decoder = decoder
        self.step = step
        self.end = end
    }

    deinit { end(decoder) }

    func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> CodingOutcome) -> CodingOutcome {
        var input = UnsafePointer(bytes.bindMemory(to: UInt8.self).baseAddress)
        var left = bytes.count
        guard left > 0 else { return .goesOn }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: roomForDecoded) { buffer in
            while true {
                var output = buffer.baseAddress
                var room = roomForDecoded
                let before = left
                let result = step(decoder, &input, &left, &output, &room)
                let count = roomForDecoded - room
                if count > 0 {
                    let outcome = take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                    guard case .goesOn = outcome else { return outcome }
                }
                isComplete = result == Int32(COUNTERSIGN_CODING_ENDED)
                if result == Int32(COUNTERSIGN_CODING_FAILED) { return .malformed }
                // A library that takes nothing and gives nothing waits for more.
                if left == 0 && room > 0 || left == before && count == 0 { return .goesOn }
            }
        }
    }
}
