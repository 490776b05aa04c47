import ApprovalPage
import Encodings
import Foundation
import Secrets
import Testing

@testable import PhoneCommands

@Suite("The lines of countersign pair --json, as the page takes them")
struct PairingProgramTests {
    private static func turn(_ line: String) throws -> String {
        String(describing: PairingProgram.nextTurn(in: try JSONReader.read(line)) as Any)
    }

    @Test("an open pairing has its code in three forms, and its end")
    func open() throws {
        let line =
            #"{"status":"OPEN","uri":"countersign://pair?v=1","code":"17-ABCD-EFGH","line":"countersign up","#
            + #""expires_at":"2026-05-01T10:05:00.000Z","payload":{}}"#
        let json = try JSONReader.read(line)
        let shown = try #require(PairingProgram.opened(by: json))
        #expect(shown.uri.revealed() == "countersign://pair?v=1" && shown.code.revealed() == "17-ABCD-EFGH")
        #expect(shown.line.revealed() == "countersign up" && !shown.isForThisMachine && shown.inbox == nil)
        #expect(shown.expiresAt == Date(timeIntervalSince1970: 1_777_629_900))
        for (endpoint, isHere) in [("http://127.0.0.1:8765", true), ("https://broker.home:8765", false)] {
            let told = line.replacing(
                #""payload":{}"#, with: #""inbox":"/home/ada/inbox","payload":{"endpoint":"\#(endpoint)"}"#)
            let json = try JSONReader.read(told)
            let shown = try #require(PairingProgram.opened(by: json))
            #expect(shown.isForThisMachine == isHere && shown.inbox == "/home/ada/inbox")
        }
        for other in [line.replacing("OPEN", with: "CLAIMED"), #"{"status":"OPEN"}"#] {
            let json = try JSONReader.read(other)
            #expect(PairingProgram.opened(by: json) == nil)
        }
    }

    @Test(
        "each other line is a turn",
        arguments: [
            (#"{"status":"CLAIMED","device_name":"Tablet","words":"a b c d"}"#, "claimed"),
            (#"{"status":"DONE","device_name":"Tablet"}"#, "paired"),
            (#"{"status":"ENDED","reason":"EXPIRED","message":"it is late"}"#, "expired"),
            (#"{"status":"ENDED","reason":"WRONG_TRIES"}"#, "wrongTries"),
            (#"{"status":"ENDED","reason":"RESTARTED"}"#, "restarted"),
            (#"{"status":"ENDED","reason":"CANCELLED"}"#, "cancelled"),
            (#"{"status":"ENDED","reason":"DENIED"}"#, "denied"),
            (#"{"status":"ENDED","message":"it is odd"}"#, "it is odd"), (#"{"status":"LATER"}"#, "nil"),
        ])
    func turns(line: String, words: String) throws {
        #expect(try Self.turn(line).contains(words))
    }
}
