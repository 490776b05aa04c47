import Encodings
import Foundation
import Phone
import Terminal

/// The options of a start that must fit the household that this machine knows.
struct HouseholdOptionsCheck {
    var bank: String?
    /// The path that was typed.
    var inbox: String?
    var credentials: String?
    var passphraseFile: String?
    /// The path of `--scripts` that was typed.
    var scripts: String?
    /// The path of `--ca` that was typed.
    var authority: String?
    var isBrokerOnly = false
    var isPhoneOnly = false
    var testsLogin = false

    /// - Throws: ``CommandFailure`` when an option would change nothing, or belongs to the other machine.
    func check(against known: HouseholdFile) throws {
        try checkParts(of: known)
        if let bank, let phone = known.phone, bank != phone.bankID,
            !(bank == HouseholdSetup.mockBank && phone.mockBank != nil)
        {
            throw CommandFailure(
                "this household is set up for the bank “\(phone.mockBank == nil ? phone.bankID : "mock")”; "
                    + (bank == HouseholdSetup.mockBank
                        ? "try the mock bank in another one, with COUNTERSIGN_CONFIG=~/trial/config.json before the command"
                        : "add this one with countersign banks add \(bank.inLine(limit: 60))")
                    + ", or begin anew with countersign up --remove", status: 2)
        }
        guard !testsLogin || !known.isSetUp else {
            throw CommandFailure(
                "the phone is set up already, so --test-login has no credentials to try; the next approval signs in",
                status: 2)
        }
        // A start that did not get as far can be repeated with the same options, or with better ones.
        guard known.isSetUp else { return }
        if let inbox, HouseholdSetup.folder(typed: inbox).path != known.inbox.standardizedFileURL.path {
            throw Self.unchanging(
                "--inbox \(inbox)", "its inbox is \(known.inbox.path)",
                "for another one, begin anew with: countersign up --remove")
        }
        if let scripts, HouseholdSetup.folder(typed: scripts).path != known.phone?.scripts {
            throw Self.unchanging(
                "--scripts \(scripts)", known.phone?.scripts.map { "its scripts are in \($0)" },
                "add the bank of another script with: countersign banks add FILE")
        }
        if credentials != nil {
            let bank = known.phone?.bankID.inLine(limit: 60) ?? "BANK"
            throw Self.unchanging("--credentials", nil, "change them with: countersign phone banks change \(bank)")
        }
        if passphraseFile != nil {
            throw Self.unchanging("--passphrase-file", nil, "change it with: countersign phone passphrase change")
        }
    }

    /// - Parameters:
    ///   - option: as it was typed.
    ///   - present: what holds now.
    ///   - way: how it is changed.
    private static func unchanging(_ option: String, _ present: String?, _ way: String) -> CommandFailure {
        CommandFailure(
            "the household is set up already\(present.map { ", and \($0)" } ?? ""), so \(option) would change nothing; \(way)",
            status: 2)
    }

    private func checkParts(of known: HouseholdFile) throws {
        guard known.broker == nil || known.phone == nil else {
            guard !isBrokerOnly, !isPhoneOnly else {
                throw CommandFailure(
                    "this household has its broker and its phone on this machine; start it with countersign up, or begin "
                        + "anew with countersign up --remove", status: 2)
            }
            return
        }
        if known.phone == nil, isPhoneOnly || testsLogin || bank != nil || scripts != nil || authority != nil {
            throw CommandFailure(
                "this machine has the household's broker alone; run this on the phone's machine", status: 2)
        }
        if known.broker == nil, isBrokerOnly {
            throw CommandFailure(
                "this machine has the household's phone alone; run this on the broker's machine", status: 2)
        }
    }
}

extension HouseholdFile {
    /// True when nothing is left to be asked: the phone of this machine has its vault, or the phone is on another machine.
    var isSetUp: Bool { phone.map { PhoneHome($0.home).vault.exists } ?? true }
}
