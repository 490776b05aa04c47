import Clocks
import DeviceTrust
import Foundation
import Phone
import PhoneStore
import TestSupport
import Testing

extension UpCommandTests {
    @Test(
        "a test login asks for the bank's code at the terminal, and says that the bank accepted",
        .timeLimit(.minutes(4)))
    func testLogin() async throws {
        let program = try Program(
            ["up", "--bank", "mock", "--no-open", "--test-login"], environment: household.environment, atTerminal: true)
        try await program.printing("Code:")
        #expect(!FileManager.default.fileExists(atPath: household.data.appending(path: "phone/vault.json").path))
        try program.write("123456")
        try await program.printing("Meridian Savings accepted the sign-in.")
        try await program.printing("Ready after")
        #expect(!program.printed.contains("A test login shows"), "it was asked for by the option")
        #expect(try await household.run("up", "--stop").status == 0)
        #expect(try await program.status() == 0)
        let late = try await household.run("up", "--no-open", "--test-login")
        #expect(late.status == 2 && late.errors.contains("no credentials to try"), "\(late)")
    }

    @Test("codes that the bank refuses in a test login count for the phone", .timeLimit(.minutes(4)))
    func refusedCode() async throws {
        let program = try Program(
            ["up", "--bank", "mock", "--no-open", "--test-login"], environment: household.environment, atTerminal: true)
        for (code, words) in [("654321", "Code:"), ("654322", "2 tries are left"), ("654323", "1 try is left")] {
            try await program.printing(words)
            try program.write(code)
        }
        try await program.printing("Meridian Savings refused 3 one-time codes in a row; nothing was stored.")
        #expect(try await program.status() == 1)
        // Without a test login nothing is sent, and the phone knows what the bank has counted.
        let (started, _) = try await household.up("--no-test-login")
        #expect(try await household.run("up", "--stop").status == 0)
        #expect(try await started.status() == 0)
        let store = try PhoneDatabase(PhoneHome(household.data.appending(path: "phone", directoryHint: .isDirectory)))
        let version = try await store.credentialsVersion(forBank: "default")
        #expect(try await store.codesRefused(byBank: "default", credentials: version) == 3)
    }

    @Test("a code that was mistyped in a test login is asked for again", .timeLimit(.minutes(4)))
    func mistypedCode() async throws {
        let program = try Program(
            ["up", "--bank", "mock", "--no-open", "--test-login"], environment: household.environment, atTerminal: true)
        for (code, words) in [("654321", "Code:"), ("123456", "2 tries are left")] {
            try await program.printing(words)
            try program.write(code)
        }
        try await program.printing("Ready after")
        #expect(try await household.run("up", "--stop").status == 0)
        #expect(try await program.status() == 0)
        let store = try PhoneDatabase(PhoneHome(household.data.appending(path: "phone", directoryHint: .isDirectory)))
        let version = try await store.credentialsVersion(forBank: "default")
        // The test login ends before a page that only a right code brings; the first visit ends the count.
        #expect(try await store.codesRefused(byBank: "default", credentials: version) == 1)
    }

    @Test("without a terminal, no test login is made with a line that may end during it")
    func lateLine() async throws {
        let created = Date().addingTimeInterval(-240)
        let payload = PairingPayload(
            server: ServerIdentity(id: ServerID(), publicKey: AgreementPrivateKey().publicKey),
            code: PairingCode(session: 17), endpoint: "http://127.0.0.1:1", certificate: nil,
            createdAt: Timestamp(created), expiresAt: Timestamp(created.addingTimeInterval(300)))
        let outcome = try await household.run(
            "up", "--no-open", "--phone-only", payload.uri.revealed(), "--bank", "mock", "--test-login")
        #expect(outcome.status == 1 && outcome.errors.contains("a test login may take longer"), "\(outcome)")
        #expect(!outcome.output.contains("Signing in"), "\(outcome)")
    }

    @Test("a wrong password is sent once, another one once, and then none for a day", .timeLimit(.minutes(4)))
    func refusedLogin() async throws {
        let login = household.home.appending(path: "login.json")
        for (number, words) in [
            (1, "refused the credentials; nothing was stored"),
            (2, "2 test logins at Meridian Savings ended without an acceptance"),
            (3, "2 test logins at Meridian Savings ended without an acceptance"),
        ] {
            let text = #"{"username": "robin.ashdown", "password": "mistyped at the keyboard \#(number)"}"#
            try Data(text.utf8).write(to: login)
            let outcome = try await household.run(
                "up", "--bank", "mock", "--no-open", "--test-login", "--credentials", login.path)
            #expect(outcome.status == 1 && outcome.errors.contains(words), "\(number): \(outcome)")
            #expect(outcome.output.contains("Signing in at Meridian Savings, once.") == (number < 3), "\(outcome)")
            #expect(!(outcome.output + outcome.errors).contains("mistyped"))
            guard number == 1 else { continue }
            let again = try await household.run(
                "up", "--bank", "mock", "--no-open", "--test-login", "--credentials", login.path)
            #expect(again.status == 1 && again.errors.contains("the file has not changed since"), "\(again)")
            #expect(!again.output.contains("Signing in"), "\(again)")
        }
        #expect(!FileManager.default.fileExists(atPath: household.data.appending(path: "phone/vault.json").path))
        // Without a test login nothing is sent, and the household starts.
        let (program, events) = try await household.up("--no-test-login")
        #expect(events["login"] == nil)
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
    }
}
