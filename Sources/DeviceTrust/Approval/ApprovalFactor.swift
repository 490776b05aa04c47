/// A proof that a policy can ask of an approval.
public enum ApprovalFactor: String, Sendable, Hashable, CaseIterable, Comparable {
    /// The person typed the vault's passphrase.
    case passphrase
    /// The person used a passkey, e.g. Face ID.
    case passkey
    /// A paired device signed the decision.
    case deviceSignature = "device_signature"

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The factors that verify the person on the device.
    public static let verifications: Set<ApprovalFactor> = [.passphrase, .passkey]
}
