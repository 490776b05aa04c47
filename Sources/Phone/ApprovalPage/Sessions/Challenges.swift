import BankScript
import Foundation
import Messages

/// The one thing that an answer to a challenge may be used for.
enum ChallengePurpose: Sendable, Hashable {
    case signIn(session: [UInt8])
    case approve(RequestID, ScriptDigest, session: [UInt8])
    /// The making of a passkey, and the proof that it works; `prfInput` will open its slot.
    case register(prfInput: [UInt8], session: [UInt8])
    case prove(prfInput: [UInt8], session: [UInt8])
    /// The consent of a passkey of this vault to another one.
    case addPasskey(session: [UInt8])
    /// The consent of a passkey of this vault to the removal of a slot.
    case removeSlot(String, session: [UInt8])
    /// The change of a bank's credentials.
    case changeCredentials(String, session: [UInt8])
    /// The connection of a bank whose interface wants the owner's yes.
    case connect(String, session: [UInt8])
    /// The acceptance of a script, by which its bank is added.
    case addBank(ScriptDigest, session: [UInt8])
    /// A look at the codes of the vault's tokens.
    case showTokens(session: [UInt8])
    case addToken(session: [UInt8])
    /// The permission for a program elsewhere.
    case allowClient(RequestID, session: [UInt8])
    /// The wrapping of the vault key under this passkey and the passphrase.
    case requireBoth(session: [UInt8])
    /// The change of the vault's passphrase, which this passkey survives.
    case changePassphrase(session: [UInt8])
    /// The pairing of another device with the broker.
    case pairDevice(session: [UInt8])
    /// The deletion of the phone.
    case forgetPhone(session: [UInt8])

    /// The purpose in a word, for the audit log.
    var word: String {
        switch self {
        case .signIn: "sign in"
        case .approve: "approve"
        case .register, .prove, .addPasskey: "add a passkey"
        case .removeSlot: "remove a way into the vault"
        case .changeCredentials: "change credentials"
        case .connect: "connect a bank"
        case .addBank: "add a bank"
        case .showTokens: "show codes"
        case .addToken: "add a token"
        case .allowClient: "allow a program"
        case .requireBoth: "require both"
        case .changePassphrase: "change the passphrase"
        case .pairDevice: "add a device"
        case .forgetPhone: "forget this phone"
        }
    }
}

/// The open challenges: each is answered once, soon, and for its purpose.
struct Challenges: Sendable {
    static let lifetime: Duration = .seconds(300)
    static let most = 256

    private var open: [[UInt8]: (purpose: ChallengePurpose, endsAt: ContinuousClock.Instant)] = [:]

    mutating func make(for purpose: ChallengePurpose) -> [UInt8] {
        open = open.filter { $0.value.endsAt > .now }
        if open.count >= Self.most, let oldest = open.min(by: { $0.value.endsAt < $1.value.endsAt }) {
            open[oldest.key] = nil
        }
        let challenge = RandomBytes.make(32)
        open[challenge] = (purpose, .now + Self.lifetime)
        return challenge
    }

    /// The purpose of a challenge, which is closed by this.
    mutating func take(_ challenge: [UInt8]) -> ChallengePurpose? {
        guard let entry = open.removeValue(forKey: challenge), entry.endsAt > .now else { return nil }
        return entry.purpose
    }
}
