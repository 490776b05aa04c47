import Notifications
import NtfyChannel
import Secrets
import TestServers
import Testing

@Suite("The example of a channel", .timeLimit(.minutes(3)))
struct NtfyChannelTests {
    @Test("publishes as ntfy documents it")
    func publishes() async throws {
        try await FakeReceiver.with { receiver, url in
            let channel = NtfyChannel(server: url, topic: "statements", token: Secret("tk_of_the_owner"))
            #expect(try await channel.send(OwnerMessage(.request, "Countersign: an agent asks.")) == nil)
            let message = try #require(await receiver.messages.first)
            #expect(message.path == "/statements")
            #expect(message.headers["authorization"] == "Bearer tk_of_the_owner")
            #expect(message.headers["title"] == "Countersign" && message.headers["priority"] == "high")
            #expect(String(decoding: message.body, as: UTF8.self) == "Countersign: an agent asks.")
        }
    }

    @Test(
        "tells a refusal from what is worth another try",
        arguments: [
            (403, OwnerChannelError.Kind.refused), (401, .refused), (400, .refused), (404, .refused),
            (429, .tooMany(after: .seconds(60))),
            (500, .unreachable),
        ])
    func fails(_ status: Int, _ kind: OwnerChannelError.Kind) async throws {
        try await FakeReceiver.with { receiver, url in
            await receiver.answer([status])
            let error = await #expect(throws: OwnerChannelError.self) {
                try await NtfyChannel(server: url, topic: "statements").send(
                    OwnerMessage(.digest, "Countersign: 3 more."))
            }
            #expect(error?.kind == kind)
        }
    }
}
