import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("What doctor says of the processes that read foreign files")
struct ConfinementCheckTests {
    @Test(
        "names each right that such a process should not have",
        arguments: [
            ([], 7, nil, "all attempts failed"), ([], 0, .noLandlock, "pdftotext can read this user's files"),
            ([], 0, .noLandlock, "nothing keeps the process that visits a bank from them either"),
            (["open a file", "start a program"], 7, .readerUnconfined, "can open a file, start a program"),
        ] as [([String], Int, Finding.Code?, String)])
    func findings(escapes: [String], landlock: Int, code: Finding.Code?, words: String) {
        let finding = ConfinementCheck.finding(escapes, landlock)
        #expect(finding.code == code)
        #expect(finding.text.contains(words), "\(finding.text)")
        #expect((finding.remedy == nil) == (code == nil))
    }

    #if os(Linux)
        @Test("is said by the program itself", .enabled(if: !Sanitizer.isActive))
        func program() async throws {
            let home = try TemporaryFolder()
            let outcome = try await CountersignProcess(["doctor"], environment: ["HOME": home.url.path]).run()
            let words =
                ConfinementOfTests.landlock > 0
                ? "foreign files are read without rights (Landlock \(ConfinementOfTests.landlock), seccomp)"
                : "[NO_LANDLOCK]"
            #expect(outcome.output.contains(words), "\(outcome.all)")
        }
    #endif
}
