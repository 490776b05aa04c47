import Foundation
import ScriptCommands
import Terminal

/// The certificate authority that a household's banks may have beside those of the machine.
struct HouseholdAuthority {
    /// The file as it was typed, or `none`; nil without the option.
    let typed: String?

    /// The file that was named, after a look into it; nil where none is named.
    ///
    /// - Throws: ``CommandFailure`` with status 2 when it holds no authority.
    var file: URL? {
        get throws(CommandFailure) {
            guard let typed, typed != "none" else { return nil }
            return try AuthorityFile.checked(typed)
        }
    }

    /// Keeps what was typed in the household's file, and looks into the file that is kept from earlier.
    ///
    /// - Throws: ``CommandFailure`` when the phone is on another machine, or the file holds no authority now.
    func remember(in household: inout HouseholdFile) throws {
        guard let typed else { return try checkKept(in: household) }
        guard let phone = household.phone else { throw household.lacksPhone }
        let file = typed == "none" ? nil : try self.file
        guard file?.path != phone.authority?.path else { return }
        household.phone?.authority = file
        try household.write(to: HouseholdFile.place())
    }

    private func checkKept(in household: HouseholdFile) throws(CommandFailure) {
        guard let kept = household.phone?.authority else { return }
        do throws(CommandFailure) {
            _ = try AuthorityFile.checked(kept.path)
        } catch {
            throw CommandFailure(
                "\(error.message). This household looks there for the authority of its banks' certificates; name another file with "
                    + "countersign up --ca FILE, or do without one with countersign up --ca none")
        }
    }
}
