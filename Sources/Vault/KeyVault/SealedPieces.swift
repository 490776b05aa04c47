import Crypto
import Foundation
import Secrets

/// The cipher of a file that is sealed in pieces, so that neither side holds all of it: AES-256-GCM, with the piece's number
/// and a mark of the last piece as the nonce.
///
/// A file that was cut, lengthened, or whose pieces changed their order does not open. This is the construction STREAM
/// (Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance, 2015,
/// section 7). A key seals one file.
private struct PieceCipher {
    static let pieceSize = 64 << 10
    static let tagSize = 16

    private let key: SymmetricKey
    private var number: UInt64 = 0

    init(_ key: SymmetricKey) {
        self.key = key
    }

    private mutating func nonce(isLast: Bool) throws -> AES.GCM.Nonce {
        let bytes = [0, 0, 0] + withUnsafeBytes(of: number.bigEndian) { Array($0) } + [isLast ? 1 : 0]
        number += 1
        return try AES.GCM.Nonce(data: bytes)
    }

    mutating func seal(_ piece: [UInt8], isLast: Bool) throws -> [UInt8] {
        let box = try AES.GCM.seal(piece, using: key, nonce: nonce(isLast: isLast))
        return Array(box.ciphertext) + Array(box.tag)
    }

    mutating func open(_ sealed: [UInt8], isLast: Bool) throws -> [UInt8] {
        guard sealed.count >= Self.tagSize else { throw CryptoKitError.incorrectParameterSize }
        let box = try AES.GCM.SealedBox(
            nonce: nonce(isLast: isLast), ciphertext: sealed.dropLast(Self.tagSize), tag: sealed.suffix(Self.tagSize))
        return Array(try AES.GCM.open(box, using: key))
    }
}

/// Bytes that wait until a piece of them is whole and it is known whether more follow.
private struct WaitingBytes {
    private let pieceSize: Int
    private var bytes: [UInt8] = []

    init(pieceSize: Int) {
        self.pieceSize = pieceSize
        bytes.reserveCapacity(pieceSize)
    }

    /// Calls `take` with each piece that is whole and not the last one.
    mutating func append(_ chunk: UnsafeRawBufferPointer, _ take: ([UInt8]) throws -> Void) rethrows {
        var rest = chunk[...]
        while !rest.isEmpty {
            if bytes.count == pieceSize {
                try take(bytes)
                bytes.wipe()
                bytes.removeAll(keepingCapacity: true)
            }
            let part = rest.prefix(pieceSize - bytes.count)
            bytes.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
        }
    }

    /// Calls `take` with the last piece, which is empty when there was nothing at all.
    mutating func end(_ take: ([UInt8]) throws -> Void) rethrows {
        defer {
            bytes.wipe()
            bytes = []
        }
        try take(bytes)
    }
}

/// Seals a file piece by piece; see ``FileSetKey``.
package struct PieceSealer {
    private var cipher: PieceCipher
    private var waiting = WaitingBytes(pieceSize: PieceCipher.pieceSize)

    /// - Parameter name: the file's name in its set. A set has each name once.
    package init(_ key: FileSetKey, name: String) {
        cipher = PieceCipher(key.key(ofFile: name))
    }

    /// Takes the next bytes of the file.
    ///
    /// - Returns: the sealed bytes that are ready.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        var sealed: [UInt8] = []
        try waiting.append(bytes) { sealed += try cipher.seal($0, isLast: false) }
        return sealed
    }

    /// Returns the last sealed bytes.
    package mutating func end() throws -> [UInt8] {
        var sealed: [UInt8] = []
        try waiting.end { sealed = try cipher.seal($0, isLast: true) }
        return sealed
    }
}

/// Opens a file that ``PieceSealer`` has sealed.
package struct PieceOpener {
    private var cipher: PieceCipher
    private var waiting = WaitingBytes(pieceSize: PieceCipher.pieceSize + PieceCipher.tagSize)

    package init(_ key: FileSetKey, name: String) {
        cipher = PieceCipher(key.key(ofFile: name))
    }

    /// Takes the next bytes of the sealed file.
    ///
    /// - Returns: the bytes of the pieces that are whole; they were verified, but the file may still have been cut.
    /// - Throws: ``VaultError`` with `damaged`.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(VaultError) -> [UInt8] {
        var opened: [UInt8] = []
        do {
            try waiting.append(bytes) { opened += try cipher.open($0, isLast: false) }
        } catch {
            throw Self.damaged
        }
        return opened
    }

    /// Returns the last bytes. From now on it is certain that the file is whole.
    ///
    /// - Throws: ``VaultError`` with `damaged`.
    package mutating func end() throws(VaultError) -> [UInt8] {
        var opened: [UInt8] = []
        do {
            try waiting.end { opened = try cipher.open($0, isLast: true) }
        } catch {
            throw Self.damaged
        }
        return opened
    }

    private static let damaged = VaultError(.damaged, "the file was changed, or does not belong here")
}
