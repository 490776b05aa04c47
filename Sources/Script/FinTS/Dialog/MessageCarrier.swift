/// Carries one message to the bank and brings its answer. It never sends a message twice.
package protocol MessageCarrier: Sendable {
    /// - Throws: ``FinTSFailure`` of the kind `network` when no whole answer came.
    func exchange(_ message: [UInt8]) async throws(FinTSFailure) -> [UInt8]
}
