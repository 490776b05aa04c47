import Encodings

/// The needs of a request's approval.
package struct Requirement: Sendable, Hashable {
    /// The largest number of devices that a rule can ask for.
    package static let mostDevices = 5

    package var factors: Set<ApprovalFactor>
    /// The number of different devices that have to approve, 1…``mostDevices``.
    package var devices: Int
    /// The reasons that the person reads, in the order of the rules.
    package var reasons: [String]

    package static let none = Requirement(factors: [], devices: 1, reasons: [])

    package init(factors: Set<ApprovalFactor>, devices: Int, reasons: [String]) {
        self.factors = factors
        self.devices = devices
        self.reasons = reasons
    }

    package var isNone: Bool { factors.isEmpty && devices <= 1 }

    /// True when only a paired device can meet the requirement.
    package var needsPairedDevice: Bool { factors.contains(.deviceSignature) || devices > 1 }

    /// Combines both requirements: every need of either one counts.
    package func merged(with other: Requirement) -> Requirement {
        Requirement(
            factors: factors.union(other.factors), devices: max(devices, other.devices),
            reasons: reasons + other.reasons.filter { !reasons.contains($0) })
    }

    /// Returns the required factors that were not shown.
    package func missing(from shown: Set<ApprovalFactor>) -> [ApprovalFactor] { factors.subtracting(shown).sorted() }

    /// - Parameter approvals: how many devices have approved already.
    package func json(approvals: Int) -> JSONValue {
        [
            "factors": .array(factors.sorted().map { .string($0.rawValue) }), "devices": .number(Double(devices)),
            "approvals": .number(Double(approvals)), "reasons": .array(reasons.map(JSONValue.string)),
        ]
    }

    /// Reads the output of ``json(approvals:)``.
    ///
    /// - Returns: the requirement, and how many devices have approved.
    /// - Throws: ``TrustError``, also for an unknown factor: this version cannot meet it.
    package static func read(_ json: JSONValue) throws(TrustError) -> (requirement: Requirement, approvals: Int) {
        let fields = try TrustFields(json, "the requirement", exactly: ["factors", "devices", "approvals", "reasons"])
        let devices = try fields.whole("devices", in: 1...mostDevices)
        let approvals = try fields.whole("approvals", in: 0...mostDevices)
        guard let names = fields.object("factors").arrayValue, let reasons = fields.object("reasons").arrayValue,
            reasons.count <= 32
        else { throw TrustError(.malformed, "the factors and reasons of the requirement must be lists") }
        var factors: Set<ApprovalFactor> = []
        for name in names {
            guard let factor = name.stringValue.flatMap(ApprovalFactor.init) else {
                throw TrustError(.malformed, "the broker needs a factor that this version does not know; update it")
            }
            factors.insert(factor)
        }
        let texts = reasons.compactMap { $0.stringValue.flatMap { $0.count <= 200 ? $0 : nil } }
        guard texts.count == reasons.count else {
            throw TrustError(.malformed, "a reason of the requirement must be a string of at most 200 characters")
        }
        return (Requirement(factors: factors, devices: devices, reasons: texts), approvals)
    }
}

/// A proof that a policy can ask of an approval.
package enum ApprovalFactor: String, Sendable, Hashable, CaseIterable, Comparable {
    /// The person typed the vault's passphrase.
    case passphrase
    /// The person used a passkey, e.g. Face ID.
    case passkey
    /// A paired device signed the decision.
    case deviceSignature = "device_signature"

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The factors that verify the person on the device.
    package static let verifications: Set<ApprovalFactor> = [.passphrase, .passkey]
}
