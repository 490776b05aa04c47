import Encodings
import Foundation
import TestSupport
import Testing

extension UpCommandTests {
    private static let chosen = "the owner has chosen this"

    private func stop(_ program: Program) async throws {
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }

    private var hasFile: Bool { FileManager.default.fileExists(atPath: household.passphraseFile.path) }

    @Test("a trial whose passphrase was changed on the page starts again, locked", .timeLimit(.minutes(4)))
    func passphraseChangedOnPage() async throws {
        let (first, events) = try await household.up()
        #expect(events["passphrase"] != nil)
        let words = try Data(contentsOf: household.passphraseFile)
        let owner = try await OwnerOnPage(events, household)
        #expect(try await owner.change(passphraseTo: Self.chosen) == 303)
        await owner.leave()
        #expect(!hasFile, "its words open nothing any more")
        try await stop(first)

        let (second, again) = try await household.up()
        #expect(again["passphrase"] == nil, "\(again)")
        let back = try await OwnerOnPage(again, household, passphrase: Self.chosen)
        #expect(try await back.isSignedIn)
        await back.leave()
        try await stop(second)

        // A program that ended between the change and the removal has left the file.
        try words.write(to: household.passphraseFile)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: household.passphraseFile.path)
        let (third, stale) = try await household.up()
        #expect(stale["passphrase"] == nil, "\(stale)")
        #expect(third.printed.contains("is not the passphrase of this trial's vault"), "\(third.printed)")
        let last = try await OwnerOnPage(stale, household, passphrase: Self.chosen)
        #expect(try await last.isSignedIn)
        await last.leave()
        try await stop(third)
    }

    @Test("a trial whose passphrase was changed at the terminal starts again, locked", .timeLimit(.minutes(4)))
    func passphraseChangedAtTerminal() async throws {
        let (first, _) = try await household.up()
        try await stop(first)
        let new = household.home.appending(path: "new-passphrase")
        try Data((Self.chosen + "\n").utf8).write(to: new)
        let changed = try await household.run(
            "phone", "passphrase", "change", "--passphrase-file", household.passphraseFile.path,
            "--new-passphrase-file", new.path)
        #expect(changed.status == 0 && changed.output.contains("starts with a locked page"), "\(changed)")
        #expect(!hasFile)

        let (second, again) = try await household.up()
        #expect(again["passphrase"] == nil, "\(again)")
        let owner = try await OwnerOnPage(again, household, passphrase: Self.chosen)
        #expect(try await owner.isSignedIn)
        await owner.leave()
        try await stop(second)
    }
}
