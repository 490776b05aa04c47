import Foundation
import Synchronization

/// The mock bank behind its FinTS server: takes one message, and gives one back. Made from the published specification:
/// *FinTS 3.0, Formals* (message, dialog, parameters), *Security, Sicherheitsverfahren PIN/TAN, 2020-07-10* (HKTAN), and
/// *Messages, Multibankfähige Geschäftsvorfälle* (jobs).
package final class FinTSBank: Sendable {
    /// The things that happened, for tests.
    package struct Record: Sendable {
        package var messages = 0
        /// The codes of the customer's segments, message by message.
        package var segments: [[String]] = []
        /// The messages that carried a PIN.
        package var withPIN = 0
        package var withWrongPIN = 0
        package var withTAN = 0
        /// Breaches of the specification by the customer's program.
        package var breaches: [String] = []

        package init() {}
    }

    struct Dialog: Sendable {
        var number = 0
        var isAnonymous = false
        /// True until a second factor came, where one is wanted.
        var isWaiting = false
        var securityFunction = "999"
        var pending: Pending?
    }

    /// A request that waits for its second factor.
    struct Pending: Sendable {
        let reference: String
        let segment: WireSegment?
        var polls = 0
    }

    private struct State {
        var record = Record()
        var dialogs: [String: Dialog] = [:]
        var opened = 0
        var answers = 0
    }

    package let configuration: FinTSBankConfiguration
    private let state = Mutex(State())

    /// The challenge of the scenario `flicker` (HHD 1.4): a start code, and an element of ten digits.
    public static let flickerCode = "0268A012045201998101234567890"

    public init(_ configuration: FinTSBankConfiguration = .init()) {
        self.configuration = configuration
    }

    package var record: Record { state.withLock { $0.record } }

    /// Answers a message.
    ///
    /// - Returns: nil when the connection ends without a whole answer.
    package func answer(to message: [UInt8]) -> [UInt8]? {
        state.withLock { state in
            state.record.messages += 1
            state.answers += 1
            switch configuration.scenario {
            case .garbage: return Array("<html><body>Wartung</body></html>".utf8)
            case .cutConnection where state.answers > 2: return nil
            default: break
            }
            let answer = answer(message, &state)
            return configuration.damage.map { $0(answer, state.answers) } ?? answer
        }
    }

    private func answer(_ bytes: [UInt8], _ state: inout State) -> [UInt8] {
        guard let outer = WireSegment.all(in: bytes), let head = outer.first, head.code == "HNHBK",
            let end = outer.last, end.code == "HNHBS"
        else {
            state.record.breaches.append("not a message")
            return plain(["HIRMG:2:2+9110::Unbekannter Aufbau"], dialog: "0", number: 1)
        }
        func breach(_ problem: String, when isOne: Bool) { if isOne { state.record.breaches.append(problem) } }
        let number = Int(head.text(4)) ?? 0
        breach("size", when: Int(head.text(1)) != bytes.count || head.text(1).count != 12)
        breach("version", when: head.text(2) != "300")
        breach("end", when: Int(end.text(1)) != number)
        let isWrapped = outer.count == 4 && outer[1].code == "HNVSK" && outer[2].code == "HNVSD"
        guard let inner = isWrapped ? WireSegment.all(in: outer[2].bytes(1)) : Array(outer.dropFirst().dropLast())
        else {
            state.record.breaches.append("envelope")
            return plain(["HIRMG:2:2+9110::Unbekannter Aufbau"], dialog: "0", number: number)
        }
        state.record.segments.append(inner.map(\.code))
        breach("numbers", when: inner.map(\.number) != Array(2..<(2 + inner.count)))
        breach("number of the end", when: end.number != inner.count + 2)
        var name = head.text(3)
        if name == "0" {
            breach("first number", when: number != 1)
            state.opened += 1
            name = "D\(state.opened)+\(state.opened)"
            state.dialogs[name] = Dialog()
        }
        guard var dialog = state.dialogs[name] else {
            state.record.breaches.append("unknown dialog")
            return plain(["HIRMG:2:2+9010::Dialog unbekannt"], dialog: name, number: number)
        }
        dialog.number += 1
        breach("message number", when: number != dialog.number)
        var turn = FinTSTurn(configuration: configuration, opened: state.opened, dialogName: name, dialog: dialog)
        turn.take(inner, isWrapped: isWrapped, &state.record)
        state.dialogs[name] = turn.isOver ? nil : turn.dialog
        let isLater = dialog.number > 1
        let said = isLater && configuration.scenario == .wrongDialog ? "D0" : name
        let counted = isLater && configuration.scenario == .wrongNumber ? number + 1 : number
        return isWrapped
            ? wrapped(turn.segments, dialog: said, number: counted)
            : plain(turn.segments, dialog: said, number: counted)
    }

    private func plain(_ segments: [String], dialog: String, number: Int) -> [UInt8] {
        plain(segments.map(WireSegment.latin), dialog: dialog, number: number)
    }

    private func plain(_ segments: [[UInt8]], dialog: String, number: Int) -> [UInt8] {
        message(Self.numbered(segments), last: segments.count + 2, dialog: dialog, number: number)
    }

    private func wrapped(_ segments: [[UInt8]], dialog: String, number: Int) -> [UInt8] {
        let head =
            "HNVSK:998:3+PIN:1+998+1+2::0+1:20260101:120000+2:2:13:@8@00000000:5:1+280:12345678:0:V:0:0+0'HNVSD:999:1+"
        let content =
            WireSegment.latin(head) + WireSegment.counted(Self.numbered(segments)) + [UInt8(ascii: "'")]
        return message(content, last: segments.count + 2, dialog: dialog, number: number)
    }

    /// Gives segments their numbers, from 2: each begins with its code and a 0.
    private static func numbered(_ segments: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, segment) in segments.enumerated() {
            let parts = segment.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            bytes += parts[0] + Array(":\(index + 2):".utf8) + parts[2] + [UInt8(ascii: "'")]
        }
        return bytes
    }

    private func message(_ content: [UInt8], last: Int, dialog: String, number: Int) -> [UInt8] {
        let name = WireSegment.escaped(dialog)
        func head(_ size: Int) -> [UInt8] {
            let digits = String(size)
            let padded = String(repeating: "0", count: 12 - digits.count) + digits
            return Array("HNHBK:1:3+\(padded)+300+\(name)+\(number)+\(name):\(number)'".utf8)
        }
        let end = Array("HNHBS:\(last):1+\(number)'".utf8)
        return head(head(0).count + content.count + end.count) + content + end
    }
}
