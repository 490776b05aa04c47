import Foundation

extension HouseholdFile.Phone {
    /// Says that the phone was set up, and that its folder, or its vault, is away; nil for a phone that is still to be set up.
    /// The caller has looked for the vault before, and has not found it.
    ///
    /// It never advises to begin anew: that would cost a phone whose disk is only not mounted.
    package var absence: CommandFailure? {
        guard wasSetUp || brokerAddress != nil else { return nil }
        let lost = "If it is lost for good, see my-phone-is-lost.md in the documentation."
        guard FileManager.default.fileExists(atPath: home.path) else {
            return CommandFailure(
                "the folder of this household's phone, \(home.path), is not there; is its disk mounted? When it is there "
                    + "again, run the command again. \(lost)")
        }
        return CommandFailure(
            "\(home.path) has no vault, though this household's phone was set up there; is its disk mounted, or was the "
                + "vault moved? When it is there again, run the command again. \(lost)")
    }
}
