import Automation
import Clocks
import CurlClient
import DeviceTrust
import Foundation
import JSON
import Secrets

/// A phone that is becoming a device of a broker. Nothing is written anywhere until the broker has said yes.
///
///     let attempt = try await PairingAttempt.begin(invitation, name: "Telephone")
///     // show attempt.words
///     let paired = try await attempt.finish()
///     try await PhoneSetup(home: home, connection: paired.connection(inbox: inbox), …).apply(passphrase: passphrase)
public struct PairingAttempt: Sendable {
    private let claim: PhoneClaim
    private let key: VaultDeviceKey
    private let connection: PairingConnection
    private let invitation: PairingInvitation
    private let client: PhoneBrokerClient
    private let http: CurlConfiguration
    private let clock: any RunClock

    /// The broker keeps a phone waiting for its person's yes that long at a time, and a little more on the way.
    static let patience = Duration.seconds(40)

    /// Meets the broker and makes sure that it is the right one: by what was scanned, and by its proof that it knows the
    /// code.
    ///
    /// - Parameter name: as the broker's person will see the device, 1 to 64 characters.
    /// - Throws: ``TrustError`` when who answers is not the broker, ``PhoneError`` when it refuses.
    public static func begin(
        _ invitation: PairingInvitation, name: String, http: CurlConfiguration = CurlConfiguration(),
        clock: any RunClock = SystemClock()
    ) async throws -> PairingAttempt {
        try invitation.payload?.checkTime(at: clock.now)
        let connection = try await connection(to: invitation, http)
        let client = PhoneBrokerClient(
            baseURL: invitation.endpoint, token: nil, configuration: trust(in: connection).applied(to: http),
            patience: patience)
        let key = VaultDeviceKey()
        do {
            let pairing = try PhonePairing(name: name, key: key)
            let session = invitation.code.session
            let offer = try await client.pairing(session, .begin, pairing.begin).answer
            let claim = try await pairing.claim(
                offer, code: invitation.code, payload: invitation.payload, connection: connection, at: clock.now)
            try claim.check(try await client.pairing(session, .claim, claim.message).answer)
            return PairingAttempt(
                claim: claim, key: key, connection: connection, invitation: invitation, client: client, http: http,
                clock: clock)
        } catch {
            key.secret.wipe()
            await client.close()
            throw error
        }
    }

    /// Who answers, before a word is said. What was scanned with a certificate is held to that one.
    private static func connection(
        to invitation: PairingInvitation, _ http: CurlConfiguration
    ) async throws -> PairingConnection {
        if let expected = invitation.payload?.certificate { return .unverified(expected) }
        return try await BrokerCertificate.look(at: invitation.endpoint, http: http)
    }

    private static func trust(in connection: PairingConnection) -> CertificateTrust {
        if case .unverified(let fingerprint) = connection { .pinned(fingerprint) } else { .authorities }
    }

    /// For the person to compare with those on the broker's screen.
    public var words: ConfirmationWords { claim.words }
    public var server: ServerIdentity { claim.server }
    public var deviceID: DeviceID { claim.hello.deviceID }
    public var expiresAt: Date { claim.offer.expiresAt.date }

    /// Waits until the person at the broker has said yes.
    ///
    /// - Parameter waiting: is told how many seconds are left, now and then.
    /// - Throws: ``PhoneError`` when they said no or the time is over.
    public func finish(_ waiting: @Sendable (Int) -> Void = { _ in }) async throws -> PairedPhone {
        do {
            let paired = try await finished(waiting)
            await client.close()
            return paired
        } catch {
            key.secret.wipe()
            await client.close()
            throw error
        }
    }

    private func finished(_ waiting: @Sendable (Int) -> Void) async throws -> PairedPhone {
        var isUnheard = false
        while true {
            let left = expiresAt.timeIntervalSince(clock.now)
            guard left > 0 else {
                throw PhoneError(
                    .expired, "nobody said yes at the broker in time; begin another pairing there: countersign pair")
            }
            waiting(Int(left))
            let began = ContinuousClock.now
            switch await askWhetherDone() {
            case .done(let answer): return try paired(answer)
            case .notYet: isUnheard = false
            // The yes may have been said, and its answer lost.
            case .nothing: isUnheard = true
            case .refused(let error):
                guard isUnheard, error.brokerCode == .pairingOver, await isKnown() else { throw error }
                return try paired()
            }
            // A broker that does not keep its phones waiting is not asked without a pause.
            if ContinuousClock.now - began < .seconds(1) { try await Task.sleep(for: .milliseconds(250)) }
        }
    }

    private enum Heard {
        case done(JSONValue)
        case notYet, nothing
        case refused(PhoneError)
    }

    private func askWhetherDone() async -> Heard {
        do {
            let (status, answer) = try await client.pairing(invitation.code.session, .finish, claim.finish)
            return status == 200 ? .done(answer) : .notYet
        } catch {
            return error.code == .brokerUnreachable || error.code == .brokerMalformed ? .nothing : .refused(error)
        }
    }

    private func paired(_ answer: JSONValue) throws -> PairedPhone {
        guard case .done(let device, let banks)? = PairingOutcome(json: answer), device == deviceID else {
            throw PhoneError(.brokerMalformed, "the broker's last answer names another device; pair again")
        }
        return try paired(banks: banks)
    }

    private func paired(banks: [String] = []) throws -> PairedPhone {
        let agreed = claim.credentials
        return PairedPhone(
            endpoint: invitation.endpoint,
            credentials: try BrokerCredentials(token: agreed.token, sharedSecret: agreed.sharedSecret),
            device: DevicePairing(deviceID: deviceID, server: server), deviceKey: key,
            trust: claim.offer.certificate.map(CertificateTrust.pinned) ?? .authorities, bankIDs: banks)
    }

    /// Whether the broker knows the device already.
    private func isKnown() async -> Bool {
        let trust = Self.trust(in: connection)
        let known = PhoneBrokerClient(
            baseURL: invitation.endpoint, token: claim.credentials.token, configuration: trust.applied(to: http))
        let isKnown = (try? await known.pending()) != nil
        await known.close()
        return isKnown
    }
}

/// A phone that the broker knows, and that is to be kept in a vault.
public struct PairedPhone: Sendable {
    public let endpoint: URL
    public let credentials: BrokerCredentials
    public let device: DevicePairing
    public let deviceKey: VaultDeviceKey
    public let trust: CertificateTrust
    /// The banks that the broker asks for.
    public let bankIDs: [String]

    /// - Parameter inbox: an absolute path.
    public func connection(inbox: String) throws(PhoneError) -> PhoneConnection {
        try PhoneConnection(
            brokerURL: endpoint.absoluteString, credentials: credentials, next: nil, inbox: inbox, pairing: device,
            trust: trust)
    }
}
