import Authenticator
import BankScript
import Encodings
import Foundation

extension ScriptExecution {
    /// Signs a token with the person's key. The key leaves this function in no form.
    func signed(_ token: SignedToken) async throws -> String {
        let pem = try await credential(named: token.key)
        hold(pem)
        guard let algorithm = SigningKey.Algorithm(rawValue: token.algorithm.rawValue) else {
            throw RunFailure(.navigationFailed, message: "\(token.algorithm.rawValue) is not known to this program")
        }
        let key: SigningKey
        do throws(SigningKeyError) {
            key = try SigningKey(pem: pem, for: algorithm)
        } catch {
            throw RunFailure(
                .bankLoginFailed, reason: .credentialMissing, message: "the \(token.key) cannot sign: \(error)")
        }
        let now = services.clock.now.timeIntervalSince1970
        var claims: [String: JSONValue] = [:]
        for (name, body) in token.claims { claims[name] = try await made(body, isHead: true).jsonValue(\.revealed) }
        claims["iat"] = .number((now - Self.seconds(token.skew)).rounded(.down))
        claims["exp"] = .number((now + Self.seconds(token.life)).rounded(.down))
        var header: [String: JSONValue] = [:]
        for (name, body) in token.header { header[name] = try await made(body, isHead: true).jsonValue(\.revealed) }
        let signed = try key.token(header: header, claims: .object(claims))
        hold(signed)
        return signed.revealed()
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
