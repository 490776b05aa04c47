import Automation
import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import Messages
import PhoneStore
import Secrets

/// An attempt to make this phone a device of a broker. Nothing is written until the broker's owner has confirmed.
///
///     let attempt = try await PairingAttempt.begin(invitation, name: "Telephone")
///     // show attempt.words
///     let paired = try await attempt.finish()
///     try await PhoneSetup(home: home, connection: paired.connection(inbox: inbox), …).apply(passphrase: passphrase)
package struct PairingAttempt: Sendable {
    private let claim: PhoneClaim
    private let key: PairedDeviceKey
    private let connection: PairingConnection
    private let invitation: PairingInvitation
    private let client: PhoneBrokerClient
    private let http: CurlConfiguration
    private let clock: any RunClock

    /// The time after which an unanswered poll is given up: a little longer than the broker holds one open.
    static let patience = Duration.seconds(40)

    /// Connects to the broker and verifies that it is the right one, by the scanned code and by the broker's proof that
    /// it knows the code.
    ///
    /// - Parameters:
    ///   - name: the device's name as the broker's owner will see it, 1 to 64 characters.
    ///   - place: the name, among `keys`, of the place that makes and keeps the device key.
    /// - Throws: ``TrustError`` if another server answers, ``PhoneError`` if the broker refuses or no key can be made.
    package static func begin(
        _ invitation: PairingInvitation, name: String, keyIn place: String = DeviceKeyMakers.vault,
        of keys: DeviceKeyMakers = DeviceKeyMakers(), http: CurlConfiguration = CurlConfiguration(),
        clock: any RunClock = SystemClock()
    ) async throws -> PairingAttempt {
        try invitation.payload?.checkTime(at: clock.now)
        let connection = try await connection(to: invitation, http)
        // Before the broker hears of this attempt: a key that cannot be made costs no pairing.
        let key = try await keys.make(place)
        let client = PhoneBrokerClient(
            baseURL: invitation.endpoint, token: nil, configuration: trust(in: connection).applied(to: http),
            patience: patience)
        do {
            let pairing = try PhonePairing(name: name, key: key.key)
            let session = invitation.code.session
            let offer = try await client.pairing(session, .begin, pairing.begin).answer
            let claim = try await pairing.claim(
                offer, code: invitation.code, payload: invitation.payload, connection: connection, at: clock.now)
            try claim.check(try await client.pairing(session, .claim, claim.message).answer)
            return PairingAttempt(
                claim: claim, key: key, connection: connection, invitation: invitation, client: client, http: http,
                clock: clock)
        } catch {
            key.reference.wipe()
            await client.close()
            throw error
        }
    }

    /// Looks at the certificate before anything is sent. A scanned code that names a certificate accepts only that one.
    private static func connection(
        to invitation: PairingInvitation, _ http: CurlConfiguration
    ) async throws -> PairingConnection {
        if let expected = invitation.payload?.certificate { return .unverified(expected) }
        return try await BrokerCertificate.look(at: invitation.endpoint, http: http)
    }

    private static func trust(in connection: PairingConnection) -> CertificateTrust {
        if case .unverified(let fingerprint) = connection { .pinned(fingerprint) } else { .authorities }
    }

    /// The words for the person to compare with those on the broker's screen.
    package var words: ConfirmationWords { claim.words }
    package var server: ServerIdentity { claim.server }
    package var deviceID: DeviceID { claim.hello.deviceID }
    package var expiresAt: Date { claim.offer.expiresAt.date }

    /// Waits until the person at the broker confirms.
    ///
    /// - Parameter waiting: is called now and then with the number of seconds left.
    /// - Throws: ``PhoneError`` if the person denies the pairing or the time is over.
    package func finish(_ waiting: @Sendable (Int) -> Void = { _ in }) async throws -> PairedPhone {
        do {
            let paired = try await finished(waiting)
            await client.close()
            return paired
        } catch {
            key.reference.wipe()
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
                    .expired,
                    "the pairing was not confirmed at the broker in time; start another one there: countersign pair")
            }
            waiting(Int(left))
            let began = ContinuousClock.now
            switch await askWhetherDone() {
            case .done(let answer): return try paired(answer)
            case .notYet: isUnheard = false
            // The confirmation may have been sent, and its answer lost.
            case .nothing: isUnheard = true
            case .refused(let error):
                guard isUnheard, error.brokerCode == .pairingOver, await isKnown() else { throw error }
                return try paired()
            }
            // Pause, in case the broker answers polls at once.
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

    /// Returns whether the broker already knows the device.
    private func isKnown() async -> Bool {
        let trust = Self.trust(in: connection)
        let known = PhoneBrokerClient(
            baseURL: invitation.endpoint, token: claim.credentials.token, configuration: trust.applied(to: http))
        let isKnown = (try? await known.pending()) != nil
        await known.close()
        return isKnown
    }
}

/// The result of a pairing, which still has to be saved in a vault.
package struct PairedPhone: Sendable {
    package let endpoint: URL
    package let credentials: BrokerCredentials
    package let device: DevicePairing
    package let deviceKey: PairedDeviceKey
    package let trust: CertificateTrust
    /// The ids of the banks that the broker asks for.
    package let bankIDs: [String]

    /// - Parameter inbox: an absolute path.
    package func connection(inbox: String) throws(PhoneError) -> PhoneConnection {
        try PhoneConnection(
            brokerURL: endpoint.absoluteString, credentials: credentials, next: nil, inbox: inbox, pairing: device,
            trust: trust)
    }
}
