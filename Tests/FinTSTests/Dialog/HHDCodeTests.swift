import Automation
import Foundation
import MockBank
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import FinTS

private struct NoCredentials: CredentialProvider {
    func credential(named name: String, forBank bankID: String) async throws -> Secret? { nil }
}

private final class Person: HumanPrompt {
    private let asked: Asked

    init(_ asked: Asked) { self.asked = asked }

    func answer(_ prompt: Prompt) async throws -> Secret {
        asked.prompts.withLock { $0.append(prompt) }
        return Secret("271828")
    }
}

private final class Asked: Sendable {
    let prompts = Mutex<[Prompt]>([])
}

/// The same numbers each time (Steele, Lea, Flood: SplitMix64).
private struct Numbers: RandomNumberGenerator {
    private var state: UInt64 = 7

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("A code for a reader that looks at flickering bars")
struct HHDCodeTests {
    /// Challenges of HHD 1.4 and 1.3, and what python-fints 4.2.4 transmits for them.
    private static let codes = [
        ("0248A0120452019980812345678", "0D85012045201998041234567855"),
        ("2908881344731012345678900515,00", "1204881344730512345678901531352C30303B"),
    ]

    @Test("is transmitted with its lengths and both checks", arguments: codes)
    func transmitted(challenge: String, transmitted: String) throws {
        let code = try #require(HHDCode(challenge))
        #expect(code.transmitted == transmitted)
        #expect(HHDCode(" " + challenge.lowercased() + "\n") == code)
    }

    @Test("names what a person types where the reader cannot look")
    func typed() throws {
        let code = try #require(HHDCode("2908881344731012345678900515,00"))
        #expect(code.startCode == "88134473" && code.elements == ["1234567890", "15,00"])
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "0", "Please type the code", "0248A01204520199808123456", "999888", "0248A0120452019980812345678X",
            "100484268612345678041234", String(repeating: "8", count: 600), "0248AFFFFFFFFFFFFFFFFFFFFFFFFFF",
            "äöüäöüäöü", "29088881344738813434567890051012345678900515,0",
        ])
    func others(text: String) { #expect(HHDCode(text) == nil) }

    @Test("comes with a bank's question, as bars and as words")
    func question() async throws {
        let approver = ScriptedApprover()
        var visit = Visit.toBank(FinTSBank(.flicker), approver: approver)
        try await visit.signIn()
        let challenge = try #require(approver.challenges.first)
        #expect(challenge.picture == nil && challenge.flicker == HHDCode(FinTSBank.flickerCode))
        let asked = Asked()
        let services = HostServices(
            credentials: NoCredentials(), person: Person(asked),
            downloads: FolderSink(FileManager.default.temporaryDirectory))
        _ = try await PersonApprover(services, bankName: "Meridian").tan(for: challenge)
        let prompt = try #require(asked.prompts.withLock { $0.first })
        guard case .code(let picture?) = prompt.kind else {
            Issue.record("no picture")
            return
        }
        #expect(picture.mediaType == "image/svg+xml" && picture.flicker?.code == challenge.flicker?.transmitted)
        // The words are masked as any of a bank; the numbers stand beside them.
        #expect(picture.flicker?.typed == ["2045201998", "1234567890"])
    }

    @Test("blinks a clock beside four bits, the lower half of each byte first")
    func frames() throws {
        let picture = try #require(FlickerPicture("1E"))
        let frames = picture.frames.map { $0.map { $0 ? "1" : "0" }.joined() }
        #expect(
            frames == [
                "10000", "00000", "11111", "01111", "11111", "01111", "11111", "01111", "10111", "00111", "11000",
                "01000",
            ])
        #expect(FlickerPicture("1") == nil && FlickerPicture("") == nil && FlickerPicture("XY") == nil)
        let drawing = String(decoding: picture.drawing, as: UTF8.self)
        #expect(drawing.components(separatedBy: "<animate ").count == 6)
        #expect(!drawing.contains("<script") && drawing.contains("repeatCount=\"indefinite\""))
        #expect(FlickerPicture.line([true, false, true, false, false], width: 2) == "██        ██          ")
    }
}

@Suite("Flicker codes, drawn by others", .needsPeers)
struct HHDCodePeerTests {
    @Test("are drawn as python-fints draws them, for 300 made at random", .timeLimit(.minutes(4)))
    func drawn() async throws {
        var generator = Numbers()
        var challenges: [String] = []
        for _ in 0..<300 {
            func digits(_ count: Int) -> String {
                (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
            }
            let start = digits(Int.random(in: 1...12, using: &generator))
            var body = "8" + String(start.count, radix: 16) + "01" + start
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let element =
                    Bool.random(using: &generator)
                    ? digits(Int.random(in: 1...12, using: &generator)) : "DE\(digits(7))"
                body += (element.count < 10 ? "0" : "") + "\(element.count)" + element
            }
            challenges.append(String(format: "%03d", body.count) + body)
        }
        let outcome = try await Peers.run(
            script: "fints_flicker.py", input: Data((challenges.joined(separator: "\n") + "\n").utf8))
        #expect(outcome.status == 0, "\(outcome.text)")
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == challenges.count)
        for (challenge, line) in zip(challenges, lines) {
            let code = try #require(HHDCode(challenge), "\(challenge)")
            var frames = try #require(FlickerPicture(code.transmitted)).frames.map {
                $0.map { $0 ? "1" : "0" }.joined()
            }
            // It leaves out the dark half of the last half byte that begins.
            frames.remove(at: 7)
            #expect(frames.joined(separator: ",") == line, "\(challenge)")
        }
    }
}
