import Foundation
import Secrets
import Testing

@testable import KeyVault

@Suite("A file that is sealed in pieces")
struct SealedPiecesTests {
    private static let piece = 64 << 10
    private let key = FileSetKey()

    private static func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    private func sealed(_ content: [UInt8], name: String = "a", chunk: Int = 10_000) throws -> [UInt8] {
        var sealer = PieceSealer(key, name: name)
        var sealed: [UInt8] = []
        for start in stride(from: 0, to: content.count, by: chunk) {
            let part = Array(content[start..<min(start + chunk, content.count)])
            sealed += try part.withUnsafeBytes { try sealer.append($0) }
        }
        return sealed + (try sealer.end())
    }

    private func opened(
        _ sealed: [UInt8], under key: FileSetKey? = nil, name: String = "a", chunk: Int = 7_000
    ) throws -> [UInt8] {
        var opener = PieceOpener(key ?? self.key, name: name)
        var opened: [UInt8] = []
        for start in stride(from: 0, to: sealed.count, by: chunk) {
            let part = Array(sealed[start..<min(start + chunk, sealed.count)])
            opened += try part.withUnsafeBytes { try opener.append($0) }
        }
        return opened + (try opener.end())
    }

    @Test(
        "opens to what it was, whatever its size",
        arguments: [0, 1, piece - 1, piece, piece + 1, 2 * piece, 3 * piece + 17])
    func roundTrip(count: Int) throws {
        let content = Self.content(count)
        let sealed = try sealed(content)
        #expect(sealed.count == count + 16 * max(1, (count + Self.piece - 1) / Self.piece))
        for chunk in [1000, Self.piece, Self.piece + 16, 1 << 20] {
            #expect(try opened(sealed, chunk: chunk) == content)
            #expect(try self.sealed(content, chunk: chunk) == sealed, "the pieces do not depend on the reads")
        }
    }

    @Test("opens under its own key and name only")
    func foreign() throws {
        let sealed = try sealed(Self.content(100))
        #expect { try opened(sealed, under: FileSetKey()) } throws: { code($0) == .damaged }
        #expect { try opened(sealed, name: "b") } throws: { code($0) == .damaged }
    }

    @Test("does not open when it was cut, lengthened, put in another order or changed")
    func changed() throws {
        let sealed = try sealed(Self.content(3 * Self.piece))
        let size = Self.piece + 16
        let pieces = (0..<3).map { Array(sealed[$0 * size..<($0 + 1) * size]) }
        let changes: [(String, [UInt8])] = [
            ("nothing is left", []), ("a few bytes", Array(sealed.prefix(5))), ("cut in a piece", sealed.dropLast(1)),
            ("cut after a piece", pieces[0] + pieces[1]), ("the first piece is missing", pieces[1] + pieces[2]),
            ("another order", pieces[1] + pieces[0] + pieces[2]), ("a piece twice", pieces[0] + sealed),
            ("lengthened", sealed + [0]), ("lengthened by a piece", sealed + pieces[2]),
            ("a changed bit", sealed.enumerated().map { $0.offset == size + 5 ? $0.element ^ 1 : $0.element }),
        ]
        for (name, bytes) in changes {
            #expect("\(name)") { try opened(bytes) } throws: { code($0) == .damaged }
        }
    }

    @Test("has a key that its passphrase opens, for its purpose only")
    func passphraseOpens() throws {
        let box = try key.sealed(as: "key of tests", passphrase: passphrase, scrypt: .cheapForTests)
        let again = try FileSetKey(box, as: "key of tests", passphrase: passphrase)
        #expect(try opened(sealed(Self.content(9)), under: again) == Self.content(9))
        #expect {
            try FileSetKey(box, as: "key of tests", passphrase: Secret("not the passphrase"))
        } throws: { code($0) == .wrongPassphrase }
        for bytes in [box.dropLast(), Array("{}".utf8), []] {
            #expect { try FileSetKey(bytes, as: "key of tests", passphrase: passphrase) } throws: {
                code($0) == .damaged
            }
        }
        #expect { try FileSetKey(box, as: "another key", passphrase: passphrase) } throws: { code($0) == .damaged }
    }
}
