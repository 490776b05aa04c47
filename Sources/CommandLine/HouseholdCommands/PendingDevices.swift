import Terminal

/// Devices of this phone that the broker on another machine may know, and of which no key is left.
struct PendingDevices {
    private let ids: [String]

    init(_ ids: [String]) {
        self.ids = ids
    }

    /// The last device is the phone's own once its vault is there.
    init(of household: HouseholdFile) {
        let all = household.phone?.pendingDevices ?? []
        self.init(household.isSetUp ? all.dropLast() : all)
    }

    /// What to do about the devices; nil without a device.
    var words: String? {
        guard !ids.isEmpty else { return nil }
        let commands = ids.map { "countersign devices remove \($0)" }.joined(separator: ", ")
        return
            "An earlier pairing of this phone did not come to its end, and the broker may have kept its device. If countersign "
            + "devices list on the broker's machine shows it, run there: \(commands)"
    }
}
