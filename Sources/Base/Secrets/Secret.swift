import Foundation

/// Something that must never be printed: a credential, a token, a code, a key.
///
/// A secret prints as `•••`, is neither `Codable` nor `Hashable`, and overwrites its bytes when it is released or when
/// ``wipe()`` is called. ``Redactor`` knows every live secret, so that it can remove them from a text on its way to a
/// log, a trace or an error message. A value computed from a secret is a secret too: use ``map(_:)``.
///
/// Do not interpolate ``revealed()`` into anything but the form field, JSON body or header that the secret is for.
public final class Secret: @unchecked Sendable {
    private let lock = NSLock()
    private let storage: UnsafeMutableRawBufferPointer
    private var isWiped = false

    /// Copies `bytes`. The caller still has to wipe its own copy.
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

    /// Calls `body` with the bytes. They must not be used after it returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try lock.withLock {
            try body(
                isWiped
                    ? UnsafeRawBufferPointer(start: nil, count: 0) : UnsafeRawBufferPointer(rebasing: storage[..<count])
            )
        }
    }

    /// Returns the secret as text. The result is an ordinary `String`: pass it to its destination and keep no copy.
    public func revealed() -> String {
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a secret derived from this one.
    public func map(_ transform: (String) throws -> String) rethrows -> Secret {
        Secret(try transform(revealed()))
    }

    /// Overwrites the bytes now. From then on the secret is empty.
    public func wipe() {
        lock.withLock { overwrite() }
    }

    /// Compares in time that depends only on the lengths.
    public func isEqual(to other: Secret) -> Bool {
        let theirs = other.withUnsafeBytes { Array($0) }
        return isEqual(toBytes: theirs)
    }

    /// Compares with a claimed value, in time that depends only on the lengths.
    public func isEqual(toBytes theirs: some Collection<UInt8>) -> Bool {
        withUnsafeBytes { ConstantTime.isEqual($0, theirs) }
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
