import Foundation

/// Something that must never be printed: a credential, a token, a code, a key.
///
/// A secret prints as `•••`, is neither `Codable` nor `Hashable`, and overwrites its bytes when it goes away or when
/// ``wipe()`` is called. Every living secret is known to ``Redactor``, so that a text on its way to a log, a trace or
/// an error message can be cleaned of it. Whatever is computed from a secret is a secret too: use ``map(_:)``.
///
/// Do not interpolate ``revealed()`` into anything but the form field, JSON body or header that the secret is for.
public final class Secret: @unchecked Sendable {
    private let lock = NSLock()
    private let storage: UnsafeMutableRawBufferPointer
    private var isWiped = false

    /// Copies `bytes`; the caller's copy stays the caller's to wipe.
    public init(bytes: some Collection<UInt8>) {
        storage = LockedMemory.shared.allocate(max(bytes.count, 1))
        storage.copyBytes(from: bytes)
        count = bytes.count
        if let start = storage.baseAddress { LiveSecrets.shared.add(start, count: count) }
    }

    public convenience init(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    deinit {
        overwrite()
        LockedMemory.shared.release(storage)
    }

    /// The number of bytes.
    public let count: Int

    public var isEmpty: Bool { count == 0 }

    /// Gives the bytes for the time of `body`. They must not be kept.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try lock.withLock {
            try body(
                isWiped
                    ? UnsafeRawBufferPointer(start: nil, count: 0) : UnsafeRawBufferPointer(rebasing: storage[..<count])
            )
        }
    }

    /// The secret as text. The result is an ordinary `String`: hand it to its destination and let go of it.
    public func revealed() -> String {
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// A secret derived from this one.
    public func map(_ transform: (String) throws -> String) rethrows -> Secret {
        Secret(try transform(revealed()))
    }

    /// Overwrites the bytes now; every later use sees an empty secret.
    public func wipe() {
        lock.withLock { overwrite() }
    }

    /// Compares in time that depends on the lengths alone.
    public func isEqual(to other: Secret) -> Bool {
        let theirs = other.withUnsafeBytes { Array($0) }
        return isEqual(toBytes: theirs)
    }

    /// As ``isEqual(to:)``, with what somebody else claims to be the secret.
    public func isEqual(toBytes theirs: some Collection<UInt8>) -> Bool {
        withUnsafeBytes { mine in
            guard mine.count == theirs.count else { return false }
            let difference = theirs.withContiguousStorageIfAvailable { theirs in
                zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
            }
            return (difference ?? zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }) == 0
        }
    }

    private func overwrite() {
        isWiped = true
        guard let start = storage.baseAddress else { return }
        LiveSecrets.shared.remove(start)
        Secrets.overwrite(start, storage.count)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public static let mask = "•••"

    public var description: String { Self.mask }
    public var debugDescription: String { Self.mask }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
