import Foundation

/// A fixed copy of sensitive bytes in ``LockedMemory``, overwritten when it is released.
final class LockedBytes: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    let count: Int

    init(_ content: some Collection<UInt8>) {
        count = content.count
        memory = LockedMemory.shared.allocate(max(content.count, 1))
        memory.copyBytes(from: content)
    }

    convenience init(_ text: String) {
        self.init(text.utf8)
    }

    deinit {
        if let start = memory.baseAddress { overwrite(start, memory.count) }
        LockedMemory.shared.release(memory)
    }

    /// The bytes; valid as long as this object.
    var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// The bytes as ordinary text: keep no copy.
    var text: String { String(decoding: content, as: UTF8.self) }
}

extension LockedBytes: Hashable {
    static func == (left: LockedBytes, right: LockedBytes) -> Bool {
        left.count == right.count && left.content.elementsEqual(right.content)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes: content) }
}
