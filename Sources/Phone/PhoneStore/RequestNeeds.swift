import DeviceTrust

/// The needs of an approval at the broker, and the approvals that it has already.
package struct RequestNeeds: Sendable, Hashable {
    package var requirement = Requirement.none
    package var approvals = 0
    package var isApprovedHere = false

    package init(requirement: Requirement = .none, approvals: Int = 0, isApprovedHere: Bool = false) {
        self.requirement = requirement
        self.approvals = approvals
        self.isApprovedHere = isApprovedHere
    }
}
