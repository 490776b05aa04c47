import AssistantJobs
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import Secrets
import WebServing

/// Sign-in with a passkey, for households without an Apple developer account. The first registration makes the user.
struct PasskeyAPI: Sendable {
    /// The seconds within which a challenge has to be answered.
    private static let patience: TimeInterval = 300

    let site: RelyingParty
    let signup: SignupRule
    let passkeys: PasskeyStore
    let issuer: SessionIssuer
    let keys: StateKeys
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        let group = router.group("v1/auth/passkey")
        group.post("register/start") { request, _ in try start(.register, try await RequestFields(request)) }
        group.post("register/finish") { request, _ in try await register(RequestFields(request)) }
        group.post("login/start") { request, _ in try start(.login, try await RequestFields(request)) }
        group.post("login/finish") { request, _ in try await logIn(RequestFields(request)) }
    }

    // MARK: Asking

    private func start(_ ceremony: PasskeyChallenge.Ceremony, _ fields: RequestFields) throws -> Response {
        let challenge = PasskeyChallenge(
            ceremony, deviceID: try fields.deviceID(), timeZone: try fields.timeZone() ?? "UTC",
            invitation: try invitation(fields), expires: clock.now.addingTimeInterval(Self.patience), keys: keys)
        return Response.json([
            "challenge_id": .string(challenge.id),
            "public_key": ceremony == .register ? creation(challenge) : request(challenge),
        ])
    }

    /// The options as JSON (WebAuthn level 3, section 5.1.9, PublicKeyCredentialCreationOptionsJSON).
    private func creation(_ challenge: PasskeyChallenge) -> JSONValue {
        let user = withUnsafeBytes(of: challenge.userHandle.uuid) { Array($0) }
        return [
            "challenge": .string(Base64URL.encode(challenge.bytes(keys))),
            "rp": ["id": .string(site.id), "name": "Countersign assistant"],
            "user": ["id": .string(Base64URL.encode(user)), "name": "assistant", "displayName": "Assistant"],
            "pubKeyCredParams": .array(
                COSEKey.algorithms.map { ["type": "public-key", "alg": .number(Double($0))] }),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ],
            "attestation": "none", "timeout": .number(Self.patience * 1000), "excludeCredentials": [],
        ]
    }

    /// PublicKeyCredentialRequestOptionsJSON: any passkey of this site, which tells whose it is.
    private func request(_ challenge: PasskeyChallenge) -> JSONValue {
        [
            "challenge": .string(Base64URL.encode(challenge.bytes(keys))), "rpId": .string(site.id),
            "allowCredentials": [],
            "userVerification": "required", "timeout": .number(Self.patience * 1000),
        ]
    }

    // MARK: Answering

    private func register(_ fields: RequestFields) async throws -> Response {
        let (challenge, credential, now) = try answered(.register, fields)
        guard let client = Base64URL.decode(credential["response"]?["clientDataJSON"]),
            let object = Base64URL.decode(credential["response"]?["attestationObject"])
        else { throw Self.refusal("the browser's answer is not a RegistrationResponseJSON") }
        let verified = try Self.refusing { () throws(WebAuthnError) in
            try PasskeyRegistration(clientDataJSON: client, attestationObject: object)
                .verified(challenge: challenge.bytes(keys), relyingParty: site)
        }
        let passkey = StoredPasskey(
            credentialID: verified.credentialID, userID: challenge.userHandle, publicKey: verified.publicKey,
            signCount: verified.signCount, isBackupEligible: verified.isBackupEligible)
        let rule: Signup =
            switch signup {
            case .open: .open
            case .closed: .closed
            case .invite: .invite(try invitation(fields) ?? challenge.invitation)
            }
        do {
            guard
                try await passkeys.register(
                    passkey, rule, timeZone: challenge.timeZone, answering: challenge.answered(keys), at: now)
            else { throw AssistantError.signupClosed(signup) }
        } catch let error as AssistantStoreError where error.code == .conflict {
            throw Self.refusal("this passkey is registered already; sign in with it")
        }
        return try await issuer.begin(
            passkey.userID, deviceID: challenge.deviceID, method: "passkey", isNew: true, at: now)
    }

    private func logIn(_ fields: RequestFields) async throws -> Response {
        let (challenge, credential, now) = try answered(.login, fields)
        guard let id = Base64URL.decode(credential["id"]), let answer = credential["response"],
            let client = Base64URL.decode(answer["clientDataJSON"]),
            let data = Base64URL.decode(answer["authenticatorData"]),
            let signature = Base64URL.decode(answer["signature"])
        else { throw Self.refusal("the browser's answer is not an AuthenticationResponseJSON") }
        guard let passkey = try await passkeys.passkey(id) else {
            throw Self.refusal("this passkey belongs to no user here")
        }
        if let handle = answer["userHandle"], handle != .null {
            let user = withUnsafeBytes(of: passkey.userID.uuid) { Array($0) }
            guard Base64URL.decode(handle) == user else { throw Self.refusal("this passkey belongs to another user") }
        }
        let known = PasskeyAssertion.Known(
            credentialID: passkey.credentialID, publicKey: passkey.publicKey, signCount: passkey.signCount,
            isBackupEligible: passkey.isBackupEligible)
        let count = try Self.refusing { () throws(WebAuthnError) in
            try PasskeyAssertion(
                credentialID: id, clientDataJSON: client, authenticatorData: data, signature: signature
            ).verified(by: known, challenge: challenge.bytes(keys), relyingParty: site)
        }
        guard try await passkeys.count(passkey, count, answering: challenge.answered(keys), at: now) else {
            throw Self.refusal("the challenge was answered already, or the passkey was used twice at once; start again")
        }
        return try await issuer.begin(
            passkey.userID, deviceID: challenge.deviceID, method: "passkey", isNew: false, at: now)
    }

    /// Reads the challenge that an answer names. It counts once: the store notes it together with what the answer changes.
    private func answered(
        _ ceremony: PasskeyChallenge.Ceremony, _ fields: RequestFields
    ) throws(AssistantError) -> (PasskeyChallenge, JSONValue, Date) {
        let now = clock.now
        let deviceID = try fields.deviceID()
        let credential = try fields.object("credential")
        let id = try fields.text("challenge_id", atMost: PasskeyChallenge.longestID)
        guard let challenge = PasskeyChallenge(id: id, at: now, keys: keys), challenge.ceremony == ceremony,
            challenge.deviceID == deviceID
        else { throw Self.refusal("the challenge is unknown or too old; start again") }
        return (challenge, credential, now)
    }

    private func invitation(_ fields: RequestFields) throws(AssistantError) -> [UInt8]? {
        try fields.optionalText("invite_code", atMost: 128).map { keys.digest($0, for: "invitation") }
    }

    private static func refusing<Value>(_ verify: () throws(WebAuthnError) -> Value) throws(AssistantError) -> Value {
        do throws(WebAuthnError) {
            return try verify()
        } catch {
            throw refusal(error.message)
        }
    }

    private static func refusal(_ message: String) -> AssistantError {
        .unauthorized(.invalidPasskey, message)
    }
}
