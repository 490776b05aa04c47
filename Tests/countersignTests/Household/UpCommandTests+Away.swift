import Foundation
import TestSupport
import Testing

extension UpCommandTests {
    @Test(
        "a phone whose disk is away is asked after; nothing is made in its place, and it goes on when it is back",
        .timeLimit(.minutes(3)))
    func away() async throws {
        let (first, _) = try await household.up()
        first.signal(SIGTERM)
        #expect(try await first.status() == 0)
        let (place, disk) = (household.data.appending(path: "phone"), household.data.appending(path: "unmounted"))
        try FileManager.default.moveItem(at: place, to: disk)
        let (uri, words) = (household.home.appending(path: "uri"), household.home.appending(path: "words"))
        try Data("otpauth://totp/A:b?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=A\n".utf8).write(to: uri)
        try Data("words that open a vault\n".utf8).write(to: words)
        let commands = [
            ["up", "--no-open"], ["up", "--service"], ["phone", "pending"], ["totp", "list"],
            ["totp", "add", "--uri-file", uri.path, "--passphrase-file", words.path],
        ]
        for isEmptyFolder in [false, true] {
            // The folder of a disk that is not mounted may be there, and empty.
            if isEmptyFolder {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            }
            for command in commands {
                let outcome = try await household.run(command)
                #expect(outcome.status != 0 && outcome.errors.contains("is its disk mounted"), "\(command): \(outcome)")
                for words in ["go on with", "phone setup", "--remove"] {
                    #expect(!outcome.all.contains(words), "\(command): \(outcome)")
                }
            }
            let shown = try await household.run("status")
            #expect(shown.status == 1 && shown.output.contains("is its disk mounted"), "\(shown)")
            let doctor = try await household.run("doctor")
            #expect(doctor.status == 1 && doctor.output.contains("is its disk mounted"), "\(doctor)")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
            #expect(names == [], "nothing is made where the disk belongs")
        }
        try FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: disk, to: place)
        let (again, events) = try await household.up()
        #expect(events["paired"] == nil, "the phone stays paired")
        again.signal(SIGTERM)
        #expect(try await again.status() == 0)

        #expect(try await household.run("phone", "remove", "--yes").status == 0)
        let anew = try await household.run("phone", "pending")
        #expect(anew.errors.contains("go on with: countersign up"), "a phone that was deleted on purpose: \(anew)")
    }
}
