import DeviceTrust
import JSON
import Messages

/// A step of a pairing, as its route is called.
enum PairingStep: String {
    case begin, claim, finish
}

extension PhoneBrokerClient {
    /// Says one thing and hears the answer; neither is believed by anything but the pairing's own proofs.
    func pairing(
        _ session: Int, _ step: PairingStep, _ message: JSONValue
    ) async throws(PhoneError) -> (status: Int, answer: JSONValue) {
        let response = try await send("POST", "/pairing/\(session)/\(step.rawValue)", body: message)
        return (response.status, try json(of: response, limits: JSONLimits(depth: 8, size: Self.largestAnswer)))
    }

    /// What to do about a refusal, by the broker's own code.
    static func words(ofPairing code: ErrorCode?, _ seen: String) -> String {
        switch code {
        case .pairingNotFound:
            "the broker has no open pairing of that number \(seen); look at its screen again, or run there: countersign pair"
        case .pairingClaimed:
            "another device was faster \(seen); if it is not yours, say no at the broker, and run there: countersign pair"
        case .pairingWrongCode:
            "the code is wrong \(seen); read it again from the broker's screen: five wrong ones end the pairing"
        case .pairingDenied: "the pairing was turned down at the broker \(seen); nothing was written"
        case .pairingOver: "the pairing is over \(seen); begin another at the broker: countersign pair"
        case .pairingAttemptUnknown, .pairingRefused:
            "the broker refuses this attempt \(seen); try again, and check which other devices are in the network"
        default: "the broker refuses the pairing \(seen); begin another at the broker: countersign pair"
        }
    }
}
