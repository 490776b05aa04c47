import Crypto
import CryptoExtras
import Foundation
import Secrets

/// What scrypt (RFC 7914) costs. Stored with each passphrase slot, so that later versions can raise it.
public struct ScryptParameters: Sendable, Hashable {
    /// CPU and memory cost N, a power of two; memory is 128·N·r bytes.
    public let cost: Int
    /// Block size r.
    public let blockSize: Int
    /// Parallelism p.
    public let parallelism: Int

    /// 128 MiB and about half a second.
    public static let standard = ScryptParameters(cost: 1 << 17, blockSize: 8, parallelism: 1)
    /// Far too cheap for a person's passphrase; makes tests quick.
    package static let cheapForTests = ScryptParameters(cost: 1 << 10, blockSize: 8, parallelism: 1)

    package init(cost: Int, blockSize: Int, parallelism: Int) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Bounds for parameters that come out of a file: a hostile one must not cost more than 1 GiB or half a minute.
    var isAffordable: Bool {
        (10...20).contains(cost.trailingZeroBitCount) && cost.nonzeroBitCount == 1 && blockSize == 8
            && (1...4).contains(parallelism)
    }

    package func key(from passphrase: Secret, salt: [UInt8]) throws -> SymmetricKey {
        try passphrase.withUnsafeBytes { bytes in
            try KDF.Scrypt.deriveKey(
                from: Data(bytes), salt: Data(salt), outputByteCount: VaultKey.size, rounds: cost,
                blockSize: blockSize, parallelism: parallelism)
        }
    }
}
