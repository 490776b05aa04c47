import AssistantJobs
import AssistantStore
import Clocks
import Foundation
import Hummingbird
import Secrets

/// Sign-in with Apple, the refreshing of sessions, and logout (specification, section 7.1).
struct SessionAPI: Sendable {
    let apple: AppleIdentity?
    let signup: SignupRule
    let database: AssistantDatabase
    let keys: StateKeys
    let issuer: SessionIssuer
    let limits: AssistantLimits
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.post("v1/auth/ios/session") { request, _ in try await signIn(RequestFields(request)) }
    }

    /// Adds the route that renews a session. A right token is never refused because of its address: people share addresses
    /// with strangers. A refused address pays for a wrong token with a look-up only.
    func addRefreshRoute(to router: some RouterMethods<AssistantContext>) {
        router.post("v1/auth/refresh") { request, context in
            let token = try await RequestFields(request).secret("refresh_token", atMost: 256)
            do {
                try limits.admitStranger(context.origin)
            } catch {
                guard try await issuer.isKnown(token) else { throw error }
            }
            return try await issuer.refresh(token, at: clock.now)
        }
    }

    func addSignedInRoutes(to router: some RouterMethods<AssistantContext>) {
        router.post("v1/auth/logout") { _, context in
            try await database.sessions.signOut(try context.signedIn().id, at: clock.now)
            return Response.ok
        }
    }

    private func signIn(_ fields: RequestFields) async throws -> Response {
        guard let apple else {
            throw AssistantError(
                .serviceUnavailable, .unavailable,
                "Sign in with Apple is not set up here; its operator sets ASSISTANT_APPLE_AUDIENCE")
        }
        let token = try fields.secret("apple_identity_token", atMost: 16 << 10)
        let deviceID = try fields.deviceID()
        let timeZone = try fields.timeZone()
        let nonce = try fields.optionalText("nonce", atMost: 512)
        let invitation = try fields.optionalText("invite_code", atMost: 128)
        let now = clock.now
        let subject = try await Self.subject(of: token, nonce: nonce, by: apple, at: now)
        let admission = try await database.users.admit(
            keys.digest(subject, for: "apple identity"), rule(invitation), timeZone: timeZone ?? "UTC", at: now)
        switch admission {
        case .known(let user):
            return try await issuer.begin(user, deviceID: deviceID, method: "apple", isNew: false, at: now)
        case .new(let user):
            return try await issuer.begin(user, deviceID: deviceID, method: "apple", isNew: true, at: now)
        case .refused: throw AssistantError.signupClosed(signup)
        case .leaving:
            throw AssistantError(
                .forbidden, .signupClosed, "everything of this user is being deleted; sign in again when it is done")
        }
    }

    private static func subject(
        of token: Secret, nonce: String?, by apple: AppleIdentity, at now: Date
    ) async throws -> String {
        do {
            return try await apple.subject(of: token, nonce: nonce, at: now)
        } catch .invalidToken {
            throw AssistantError.unauthorized(
                .invalidIdentityToken, "Apple's identity token is not valid for this service; sign in with Apple again")
        } catch .keysUnavailable {
            var error = AssistantError(
                .serviceUnavailable, .unavailable, "Apple's keys cannot be fetched now; try again later")
            error.headers[.retryAfter] = "10"
            throw error
        }
    }

    private func rule(_ invitation: String?) -> Signup {
        switch signup {
        case .open: .open
        case .closed: .closed
        case .invite: .invite(invitation.map { keys.digest($0, for: "invitation") })
        }
    }
}
