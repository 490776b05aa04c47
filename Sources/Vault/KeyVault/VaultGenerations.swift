/// A memory of the newest generation of each vault, outside the vault's file, which shows that a file was replaced by an
/// older copy of itself.
package protocol VaultGenerations: Sendable {
    /// Returns the newest generation that was recorded, or 0. It may block.
    func newest(ofVault id: String) throws -> Int

    /// Records a generation. It may block.
    func record(_ generation: Int, ofVault id: String) throws
}
