import Automation
import Foundation
import Secrets

/// Answers with the code that a gateway for text messages writes into a file.
public struct MessageGateway: SecondFactorProvider {
    let file: URL

    public init(file: URL) { self.file = file }

    public func code(for challenge: SecondFactorChallenge) async throws -> Secret? {
        while Date() < challenge.deadline {
            if let text = try? String(contentsOf: file, encoding: .utf8), let code = text.firstMatch(of: /\b\d{6}\b/) {
                // A code works once.
                try FileManager.default.removeItem(at: file)
                return Secret(String(code.output))
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }
}
