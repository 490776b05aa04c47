import Foundation
import Phone
import Terminal

extension HomeOption {
    /// Refuses to make a named folder, or to use the empty folder of a disk that is not mounted, for what belongs to a phone. The
    /// phone would not find it once its disk is there.
    ///
    /// The usual folder, which no option and no variable names, is made, and so is that of a household which is still to be set up.
    ///
    /// - Throws: ``CommandFailure`` that names the folder.
    func checkMayKeep() throws {
        if !PhoneHome(folder).vault.exists, let absence = householdsAbsence { throw absence }
        let households = HouseholdFile.dataFolder().appending(path: "phone").standardizedFileURL.path
        let isNew = HouseholdFile.current == nil && folder.path == households
        guard isNamed, !isNew, !FileManager.default.fileExists(atPath: folder.path) else { return }
        let path = folder.path.inLine(limit: 400)
        throw CommandFailure(
            "the folder \(path) is not there; is its disk mounted? If it is new, make it first: mkdir -p -m 700 \(path)"
        )
    }
}
