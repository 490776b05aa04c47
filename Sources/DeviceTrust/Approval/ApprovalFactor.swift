/// What an approval can be asked to show.
public enum ApprovalFactor: String, Sendable, Hashable, CaseIterable, Comparable {
    /// The person typed the vault's passphrase.
    case passphrase
    /// The person answered with a passkey: Face ID or its like.
    case passkey
    /// A paired device signed the decision.
    case deviceSignature = "device_signature"

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Those that are a user verification on the device.
    public static let verifications: Set<ApprovalFactor> = [.passphrase, .passkey]
}
