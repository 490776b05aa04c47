import PhoneStore
import Secrets

extension PhoneDatabase {
    /// Makes the code with which the first passkey of a new phone is added within a day.
    package func firstPasskeyCode() async throws -> Secret {
        try await makeTerminalCode(for: .addPasskey, lifetime: 86_400).text
    }
}
