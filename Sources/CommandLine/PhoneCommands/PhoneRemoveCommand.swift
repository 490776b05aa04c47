import ArgumentParser
import Foundation
import HouseholdCommands
import Phone
import Terminal

struct PhoneRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove this phone: its vault, tokens, history and settings.",
        discussion: """
            Nothing can be restored without a backup. The broker still knows a paired device: remove it there with \
            countersign devices remove DEVICE. Files of other programs in the folder stay.
            """)

    @OptionGroup var home: HomeOption

    @Flag(help: "Remove without a question.")
    var yes = false

    func run() throws {
        let phone = try home.phone()
        if !yes {
            guard Asking.isPossible else {
                throw CommandFailure("nothing was deleted; without a terminal, confirm with --yes", status: 2)
            }
            do {
                try phone.checkMayBeForgotten()
            } catch {
                throw CommandFailure(error.message)
            }
            guard Asking.yes("Delete the phone in \(phone.folder.path), with everything in its vault?") else {
                throw CommandFailure("nothing was deleted")
            }
        }
        let left: [String]
        do {
            left = try phone.forget()
        } catch {
            throw CommandFailure(error.message)
        }
        try HouseholdFile.notePhoneDeleted(in: phone.folder)
        Console.standard.line("The phone in \(phone.folder.path) is deleted.")
        if !left.isEmpty { Console.standard.line("Left in the folder: \(left.joined(separator: ", "))") }
    }
}
