import LoopbackSockets
import Testing

extension BrokerStage {
    /// Sends bytes as they are, and gives what comes back until the connection closes.
    func raw(_ text: String) async throws -> String {
        let connection = try RawConnection(port: try #require(port))
        connection.write(text.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n"))
        return await Task.detached { connection.read(within: 10) }.value
    }
}
