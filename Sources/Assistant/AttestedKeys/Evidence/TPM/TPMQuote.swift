/// A TPM's statement about its registers: TPMS_ATTEST with TPMS_QUOTE_INFO (TCG, "Trusted Platform Module Library", part 2,
/// sections 10.12.8 and 10.12.1).
struct TPMQuote: Sendable, Hashable {
    /// TPM_GENERATED_VALUE: an attestation key signs nothing from outside that begins with it.
    private static let generated: UInt32 = 0xFF54_4347
    /// TPM_ST_ATTEST_QUOTE.
    private static let quote: UInt16 = 0x8018
    /// The most bytes of a name or of extra data: an algorithm and its longest digest.
    private static let longestBuffer = 66

    /// The "qualifying data" that the caller passed to the TPM.
    let extraData: [UInt8]
    let selection: TPMRegisterSelection
    /// SHA-256 over the selected registers, in ascending order.
    let digest: [UInt8]

    /// Reads the structure, which has to fill all of the bytes.
    ///
    /// - Throws: ``EvidenceError/malformed(_:)``.
    init(_ bytes: [UInt8]) throws(EvidenceError) {
        var reader = TPMReader(bytes)
        guard try reader.number(UInt32.self) == Self.generated else {
            throw .malformed("the quote was not made by a TPM: it does not begin with TPM_GENERATED")
        }
        guard try reader.number(UInt16.self) == Self.quote else {
            throw .malformed("the TPM's statement is not a quote")
        }
        _ = try reader.buffer(atMost: Self.longestBuffer)
        extraData = try reader.buffer(atMost: Self.longestBuffer)
        // The TPM's clock, its counts of resets and restarts, whether the clock is safe, and the firmware's version.
        _ = try reader.take(8 + 4 + 4)
        guard try reader.number(UInt8.self) <= 1 else {
            throw .malformed("the quote's clock is neither safe nor unsafe")
        }
        _ = try reader.take(8)
        selection = try TPMRegisterSelection(&reader)
        digest = try reader.buffer(atMost: Self.longestBuffer)
        guard digest.count == 32 else { throw .malformed("the quote's digest is not SHA-256") }
        try reader.finish()
    }
}
