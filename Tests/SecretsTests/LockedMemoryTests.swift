import Foundation
import Testing

@testable import Secrets

@Suite struct LockedMemoryTests {
    @Test(
        "gives pieces that are large enough and do not overlap",
        arguments: [1, 31, 32, 33, 64, 1000, 4096, 5000, 200_000])
    func pieces(_ count: Int) {
        let memory = LockedMemory()
        let pieces = (0..<100).map { _ in memory.allocate(count) }
        for (number, piece) in pieces.enumerated() {
            #expect(piece.count >= count)
            piece.initializeMemory(as: UInt8.self, repeating: UInt8(number))
        }
        for (number, piece) in pieces.enumerated() { #expect(piece.allSatisfy { $0 == UInt8(number) }) }
        for piece in pieces { memory.release(piece) }
    }

    @Test("uses again what was given back")
    func reuse() {
        let memory = LockedMemory()
        let first = memory.allocate(40)
        memory.release(first)
        #expect(memory.allocate(50).baseAddress == first.baseAddress)
    }

    @Test("a secret leaves nothing of itself behind")
    func wiped() {
        var address: UnsafeRawPointer?
        do {
            let secret = Secret("a secret of a length of its own, 1c8f")
            secret.withUnsafeBytes { address = $0.baseAddress }
        }
        // The pages stay mapped, so what lies there now can be looked at.
        let left = UnsafeRawBufferPointer(start: address, count: 37)
        #expect(!left.elementsEqual("a secret of a length of its own, 1c8f".utf8))
    }

    @Test("a hundred thousand secrets, from several threads at once")
    func concurrent() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    (0..<12_500).allSatisfy { Secret("\(number)-\($0)").revealed() == "\(number)-\($0)" }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
