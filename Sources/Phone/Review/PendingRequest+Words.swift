import DeviceTrust

extension PendingRequest {
    /// What an approval needs besides the usual, as a person reads it; nil when that is nothing.
    public var neededWords: String? {
        var needs = requirement.factors.sorted().map(\.words)
        if requirement.devices > 1 {
            needs = needs.filter { $0 != ApprovalFactor.deviceSignature.words } + ["\(requirement.devices) devices"]
        }
        return needs.isEmpty ? nil : needs.joined(separator: ", ")
    }

    /// How far the approvals of several devices have come.
    public var progressWords: String { RunOutcome.waitingWords(approvals, of: requirement.devices) }
}

extension RunOutcome {
    /// `1 of 2 approvals; waiting for another device`.
    public static func waitingWords(_ approvals: Int, of needed: Int) -> String {
        "\(approvals) of \(needed) approvals; waiting for another device"
    }
}
