import DeviceTrust
import Foundation
import Phone
import QRCode
import Secrets
import Terminal

/// The line that `countersign up --broker-only` shows and `countersign up --phone-only` takes: the pairing's code and the
/// broker's address, such as `17-ABCD-EFGH@https://broker.home:8765`. The QR code's URI and a picture of the code serve as
/// well.
struct PairingLine: Sendable {
    let invitation: PairingInvitation
    /// Nil for the short line, which names no time.
    private let payload: PairingPayload?
    /// The time after which it does not work; nil for the short line, which names no time.
    var end: Date? { payload?.expiresAt.date }

    /// - Parameter text: a line, or the path of a picture; of several words the last one, as when a whole command is pasted.
    /// - Throws: ``CommandFailure``, ``TrustError`` or ``PhoneError``. No message quotes the text: it may hold a code.
    init(_ text: Secret) async throws {
        let whole = text.revealed().trimmingCharacters(in: .whitespacesAndNewlines)
        let file = URL(filePath: TypedPath.expanded(whole))
        if !whole.isEmpty, FileManager.default.fileExists(atPath: file.path) {
            let texts = try await QRCodeReader.texts(in: file)
            guard let found = texts.first(where: { PairingInvitation.isScanned($0.revealed()) }) else {
                throw CommandFailure("the picture's code is not one of a pairing; take the picture again")
            }
            try self.init(uri: found)
            return
        }
        let word = String(whole.split(whereSeparator: \.isWhitespace).last ?? "").trimmingCharacters(in: Self.quotes)
        if PairingInvitation.isScanned(word) {
            try self.init(uri: Secret(word))
            return
        }
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let code = PairingCode(String(parts[0])) else {
            throw CommandFailure(
                "this is not the line of countersign up --broker-only, such as 17-ABCD-EFGH@https://broker.home:8765; "
                    + "copy it whole from the broker's machine", status: 2)
        }
        self.init(try PairingInvitation(code: code, at: String(parts[1])), nil)
    }

    private init(uri: Secret) throws {
        self.init(try PairingInvitation(scanned: uri), try PairingPayload(uri))
    }

    private init(_ invitation: PairingInvitation, _ payload: PairingPayload?) {
        (self.invitation, self.payload) = (invitation, payload)
    }

    private static let quotes = CharacterSet(charactersIn: "'\"")

    /// Checks that the line has time left, as far as it tells.
    ///
    /// - Throws: ``TrustError``.
    func checkTime(at now: Date = Date()) throws { try payload?.checkTime(at: now) }

    /// Returns the command for the phone's machine, to be pasted into a shell.
    static func command(for payload: PairingPayload) -> Secret {
        let line = "\(payload.code.written.revealed())@\(payload.endpoint)"
        // Shells read the brackets of an IPv6 address as a pattern.
        return Secret("countersign up --phone-only " + (line.contains("[") ? "'\(line)'" : line))
    }
}
