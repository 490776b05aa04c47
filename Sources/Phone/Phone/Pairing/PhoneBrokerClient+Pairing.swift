import DeviceTrust
import Encodings
import Messages
import PhoneStore

/// A step of a pairing, named as its route.
enum PairingStep: String {
    case begin, claim, finish
}

extension PhoneBrokerClient {
    /// Sends one message of a pairing and returns the answer. Only the pairing's own proofs make it trustworthy.
    func pairing(
        _ session: Int, _ step: PairingStep, _ message: JSONValue
    ) async throws(PhoneError) -> (status: Int, answer: JSONValue) {
        let response = try await send("POST", "/pairing/\(session)/\(step.rawValue)", body: message)
        return (response.status, try json(of: response, limits: JSONLimits(depth: 8, size: Self.largestAnswer)))
    }

    /// Returns the message for a refused pairing, by the broker's error code.
    static func words(ofPairing code: ErrorCode?, _ seen: String) -> String {
        switch code {
        case .pairingNotFound:
            "the broker has no open pairing with that number \(seen); check its screen, or run there: countersign pair"
        case .pairingClaimed:
            "another device claimed this pairing first \(seen); if it is not yours, deny it at the broker and run there: "
                + "countersign pair"
        case .pairingWrongCode:
            "the code is wrong \(seen); compare it with the broker's screen: five wrong codes end the pairing"
        case .pairingDenied: "the pairing was denied at the broker \(seen); nothing was written"
        case .pairingOver: "the pairing is over \(seen); start another one at the broker: \(another)"
        case .pairingAttemptUnknown, .pairingRefused:
            "the broker refuses this attempt \(seen); try again, and check which other devices are on the network"
        default: "the broker refuses the pairing \(seen); start another one at the broker: \(another)"
        }
    }

    /// The two ways to another pairing.
    private static let another = "countersign pair, or on the page: Settings, Devices, Add a device"
}
