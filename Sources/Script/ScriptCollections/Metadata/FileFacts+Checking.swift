import Crypto
import Encodings

extension FileFacts {
    /// Checks a file's length and its hashes.
    ///
    /// - Throws: ``CollectionError`` of kind `mismatch`, also when none of the hashes is of a kind that is known.
    package func check(_ bytes: [UInt8], named name: String) throws(CollectionError) {
        if let length, bytes.count != length {
            throw CollectionError(.mismatch, "\(name) has \(bytes.count) bytes, and the signed list says \(length)")
        }
        guard !hashes.isEmpty else { return }
        var known = 0
        for (algorithm, expected) in hashes {
            let found: String
            switch algorithm {
            case "sha256": found = Base16.encode(SHA256.hash(data: bytes))
            case "sha512": found = Base16.encode(SHA512.hash(data: bytes))
            default: continue
            }
            known += 1
            guard found == expected else {
                throw CollectionError(
                    .mismatch, "\(name) is another file than the one that was signed: its \(algorithm) differs")
            }
        }
        guard known > 0 else {
            throw CollectionError(
                .mismatch, "\(name) is listed with hashes of unknown kinds only; sha256 and sha512 are known")
        }
    }
}
