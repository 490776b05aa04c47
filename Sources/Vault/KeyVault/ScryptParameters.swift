import Crypto
import CryptoExtras
import Foundation
import Secrets

/// The cost of scrypt (RFC 7914), stored with each passphrase slot so that later versions can raise it.
package struct ScryptParameters: Sendable, Hashable {
    /// The CPU and memory cost N, a power of two. Memory is 128·N·r bytes.
    package let cost: Int
    /// The block size r.
    package let blockSize: Int
    /// The parallelism p.
    package let parallelism: Int

    /// The default cost: 128 MiB and about half a second.
    package static let standard = ScryptParameters(cost: 1 << 17, blockSize: 8, parallelism: 1)
    /// The cost for a passphrase of 256 random bits, which no thief can guess however little a try costs.
    package static let forRandomKeys = ScryptParameters(cost: 1 << 10, blockSize: 8, parallelism: 1)
    /// A cost far too low for a real passphrase, for quick tests.
    package static let cheapForTests = forRandomKeys

    package init(cost: Int, blockSize: Int, parallelism: Int) {
        self.cost = cost
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// The bounds for parameters from a file: a hostile file must not cost more than 1 GiB or half a minute.
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
