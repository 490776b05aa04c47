import Clocks
import Crypto
import CurlClient
import Encodings
import FinTS
import Foundation
import Machine
import MockBank
import Secrets
import Synchronization
import TestSupport
import Testing

@Suite("FinTS programs by others")
struct FinTSPeerTests {
    private func serve(_ scenario: FinTSScenario, usesTLS: Bool = false) async throws -> FinTSBankServer {
        var configuration = FinTSBankConfiguration()
        configuration.usesTLS = usesTLS
        configuration.scenario = scenario
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        return try await FinTSBankServer.start(configuration)
    }

    /// The number of bookings of the mock bank's first account in September and October 2026.
    private static let bookings = [9, 10].map { month in
        String(decoding: MockBankServer.file(account: "everyday", month: month, year: 2026, as: "mt940"), as: UTF8.self)
            .components(separatedBy: ":61:").count - 1
    }.reduce(0, +)

    @Test(
        "python-fints fetches from the mock bank, and breaks no rule that it checks", .needsPeers,
        .timeLimit(.minutes(5)),
        arguments: [
            FinTSScenario.happy, .decoupled, .photoTAN, .tanForStatements, .manyPages, .noSecondFactor, .onlyMT940,
        ])
    func python(_ scenario: FinTSScenario) async throws {
        let server = try await serve(scenario)
        let configuration = FinTSBankConfiguration()
        let outcome = try await Peers.run(
            script: "fints_client.py",
            [
                server.url, configuration.bankCode, configuration.user, configuration.pin, configuration.tan,
                "2026-09-01",
                "2026-10-31",
            ])
        await server.stop()
        #expect(outcome.status == 0 && outcome.text.contains("end"), "\(outcome.text)")
        #expect(server.bank.record.breaches == [])
        #expect(outcome.text.contains("bookings \(Self.bookings)"), "\(outcome.text)")
        #expect(outcome.text.contains("accounts GB33MERI4020718836,GB33MERI4020719914,GB33MERI4020720047"))
        if scenario == .photoTAN { #expect(outcome.text.contains("challenge tan picture")) }
        if scenario == .decoupled { #expect(outcome.text.contains("challenge decoupled")) }
        if scenario == .happy {
            #expect(outcome.text.contains("statements 24"))
            let pdf = Base16.encode(SHA256.hash(data: MockBankServer.statement(month: 10, year: 2026)))
            #expect(outcome.text.contains("pdf \(pdf)"), "\(outcome.text)")
        }
    }

    @Test("python-fints sends a wrong PIN once", .needsPeers, .timeLimit(.minutes(4)))
    func pythonWrongPIN() async throws {
        let server = try await serve(.wrongPIN)
        let outcome = try await Peers.run(
            script: "fints_client.py",
            [server.url, "12345678", "robin.ashdown", "80413", "1", "2026-09-01", "2026-10-31"])
        await server.stop()
        #expect(outcome.status != 0 && outcome.text.contains("FinTSClientPINError"), "\(outcome.text)")
        #expect(server.bank.record.withPIN == 1)
    }

    @Test(
        "AqBanking fetches from the mock bank", .needsPeers, .needs("aqhbci-tool4", "aqbanking-cli"),
        .timeLimit(.minutes(5)))
    func aqBanking() async throws {
        let server = try await serve(.noSecondFactor)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = FinTSBankConfiguration()
        let outcome = try await Peers.run(
            script: "aqbanking_client.py",
            [
                folder.path, server.url, configuration.bankCode, configuration.user, configuration.pin, "2026-09-01",
                "2026-10-31",
            ])
        await server.stop()
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(server.bank.record.breaches == [])
        #expect(outcome.text.contains("bookings \(Self.bookings)"), "\(outcome.text)")
        #expect(outcome.text.contains("GB33MERI4020718836"))
    }

    /// Debian's packages `libhbci4j-core-java` and those that it needs.
    private static let javaLibraries = [
        "hbci4j-core", "jaxb-api", "jaxb-runtime", "jaxb-core", "activation", "javax.activation",
        "istack-commons-runtime",
    ].map { "/usr/share/java/\($0).jar" }

    // It takes the parameters of the person from the answer to the sign-in alone, so it finds no account where a TAN comes between.
    @Test(
        "hbci4java, the library of Hibiscus, fetches from the mock bank without a window", .needs("java", "javac"),
        .enabled(
            if: FileManager.default.fileExists(atPath: javaLibraries[0]),
            "the package libhbci4j-core-java is not installed"), .timeLimit(.minutes(5)),
        arguments: [FinTSScenario.noSecondFactor, .wrongPIN])
    func hbci4java(_ scenario: FinTSScenario) async throws {
        let server = try await serve(scenario, usesTLS: true)
        let configuration = FinTSBankConfiguration()
        let port = try #require(URL(string: server.url)?.port)
        let outcome = try await ChildProcess.run(
            try #require(Peers.program("java")),
            [
                "-Djava.awt.headless=true", "-cp", Self.javaLibraries.joined(separator: ":"),
                Peers.script("HBCI4JavaClient.java").path, "\(port)", configuration.bankCode, configuration.user,
                configuration.pin, configuration.tan, "2026-09-01", "2026-10-31",
            ])
        await server.stop()
        #expect(server.bank.record.breaches == [])
        guard scenario == .noSecondFactor else {
            #expect(outcome.status != 0 && !outcome.text.contains("accounts"))
            return
        }
        #expect(outcome.status == 0 && outcome.text.contains("end"), "\(outcome.text)")
        #expect(outcome.text.contains("bookings \(Self.bookings)"), "\(outcome.text)")
        #expect(outcome.text.contains("accounts GB33MERI4020718836 GB33MERI4020719914 GB33MERI4020720047"))
    }

    /// The person of python-fints' own bank, which wants no second factor.
    private struct QuietPerson: Approver {
        func pick(among texts: [String], question: String) async throws(FinTSFailure) -> Int { 0 }
        func tan(for challenge: Challenge) async throws(FinTSFailure) -> Secret { Secret("") }
        func whileApproving(
            _ challenge: Challenge, _ wait: () async throws(FinTSFailure) -> Void
        ) async throws(FinTSFailure) { try await wait() }
        func began(_ step: String) {}
    }

    private final class HTTPCarrier: MessageCarrier {
        let url: String
        let sent = Mutex(0)

        init(url: String) { self.url = url }

        func exchange(_ message: [UInt8]) async throws(FinTSFailure) -> [UInt8] {
            sent.withLock { $0 += 1 }
            do {
                let session = CurlSession()
                let answer = try await session.send(
                    HTTPRequest("POST", url, body: Array(Data(message).base64EncodedData())))
                await session.close()
                return Array(Data(base64Encoded: Data(answer.body)) ?? Data())
            } catch {
                throw FinTSFailure(.network, "\(error)")
            }
        }
    }

    private static let checkout = ProcessInfo.processInfo.environment["COUNTERSIGN_PYTHON_FINTS"]

    @Test(
        "ours fetches from the bank of python-fints' own tests, and is turned away with a wrong PIN", .needsPeers,
        .enabled(if: checkout != nil, "COUNTERSIGN_PYTHON_FINTS names no checkout of raphaelm/python-fints"),
        .timeLimit(.minutes(3)),
        arguments: [("1234", nil), ("9999", .wrongPIN), ("3938", .locked)] as [(String, FinTSFailure.Kind?)])
    func pythonBank(_ pin: String, _ kind: FinTSFailure.Kind?) async throws {
        let python = try #require(Peers.python)
        let process = try RunningProgram(
            [python.path, Peers.script("fints_bank.py").path, try #require(Self.checkout)], environment: nil, in: nil,
            input: .written)
        defer {
            process.endInput()
            process.end()
        }
        let url = try await BlockingWork.run { process.line() ?? "" }
        let carrier = HTTPCarrier(url: url)
        var visit = Visit(
            Visit.Access(
                bankCode: "12345678", user: "test1", product: Dialog.Product(registration: "TEST", version: "1")),
            pin: Secret(pin), over: carrier, approver: QuietPerson(), clock: SystemClock())
        do {
            try await visit.signIn()
            let accounts = try await visit.accounts()
            #expect(accounts.map(\.iban) == ["DE111234567800000001", "DE111234567800000002"])
            #expect(accounts.first?.bic == "GENODE23X42" && accounts.first?.product == "Girokonto")
            let text = try #require(try await visit.perform(.mt940(accounts[0], nil))).mt940
            #expect(Latin1.text(text).components(separatedBy: ":61:").count == 4)
            await visit.end()
            #expect(kind == nil)
        } catch let error as FinTSFailure {
            #expect(error.kind == kind, "\(error)")
            // One anonymous question, and one message with the PIN.
            #expect(carrier.sent.withLock { $0 } == 2)
        }
    }
}
