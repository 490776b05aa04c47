import Phone
import PhoneStore

/// The deletion of a phone on its page.
package struct PhoneDeletion: Sendable {
    /// The names of others that are left in the phone's folder.
    package let left: [String]
    /// Why something of the phone is left, too; nil when nothing is.
    package let failure: PhoneError?
}

extension PhoneDeletion {
    /// Deletes the phone of a runner.
    init(of runner: PhoneRunner) {
        do throws(PhoneError) {
            self.init(left: try runner.forgetHome(), failure: nil)
        } catch {
            self.init(left: [], failure: error)
        }
    }
}
