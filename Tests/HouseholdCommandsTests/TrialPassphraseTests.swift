import Foundation
import Secrets
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("The file with a trial's passphrase")
struct TrialPassphraseTests {
    @Test(
        "goes when the passphrase is changed, unless its owner has put the new one there",
        arguments: [("amber-birch-cedar\n", true), ("", true), ("the owner's passphrase\n", false)])
    func ended(text: String, isDeleted: Bool) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let trial = TrialPassphrase(in: folder.url)
        let new = Secret("the owner's passphrase")
        #expect(try !trial.end(with: new), "nothing is there")
        try Data(text.utf8).write(to: trial.file)
        #expect(try trial.end(with: new) == isDeleted)
        #expect(trial.exists != isDeleted)
    }

    @Test("is known by each path to it")
    func named() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let trial = TrialPassphrase(in: folder.url)
        try Data("amber-birch-cedar\n".utf8).write(to: trial.file)
        let link = folder.appending("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: trial.file)
        for path in [trial.file.path, link.path, folder.url.path + "/./passphrase"] {
            #expect(trial.isNamed(by: path), "\(path)")
        }
        for path in [nil, "-", folder.appending("other").path] { #expect(!trial.isNamed(by: path)) }
    }
}
