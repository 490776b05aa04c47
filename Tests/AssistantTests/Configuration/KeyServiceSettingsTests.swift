import AssistantProcesses
import Foundation
import KeyCustody
import TestSupport
import Testing

@Suite("The settings of the key service") struct KeyServiceSettingsTests {
    private static let amazon = [
        "HOME": "/x", "ASSISTANT_KMS": "aws", "ASSISTANT_EVIDENCE": "nitro", "ASSISTANT_AWS_REGION": "eu-central-1",
        "ASSISTANT_AWS_KEY_ID": "alias/assistant", "ASSISTANT_AWS_CREDENTIALS_FILE": "/etc/countersign/aws",
    ]

    @Test("a key at AWS KMS has its region's address, unless another one is set")
    func amazon() throws {
        let settings = try #require(try KeyServiceConfiguration(environment: Self.amazon).amazon)
        #expect(settings.endpoint == "https://kms.eu-central-1.amazonaws.com")
        #expect(settings.keyID == "alias/assistant" && settings.credentials.path == "/etc/countersign/aws")
        let more = Self.amazon.merging(["ASSISTANT_AWS_KMS_URL": "http://127.0.0.1:5000"]) { $1 }
        #expect(try KeyServiceConfiguration(environment: more).amazon?.endpoint == "http://127.0.0.1:5000")
        #expect(try KeyServiceConfiguration(environment: ["HOME": "/x"]).amazon == nil)
        #expect(try KeyServiceConfiguration(environment: ["HOME": "/x", "ASSISTANT_KMS": "local"]).amazon == nil)
    }

    @Test("reads the credentials file and profile of AWS's own tools when it is given no file")
    func usualFile() throws {
        let home = try TemporaryFolder()
        var environment = Self.amazon.merging(["HOME": home.url.path]) { $1 }
        environment["ASSISTANT_AWS_CREDENTIALS_FILE"] = nil
        func settings(_ more: [String: String] = [:]) throws -> AmazonSettings? {
            try KeyServiceConfiguration(environment: environment.merging(more) { $1 }).amazon
        }
        #expect(throws: AssistantConfigurationError.self) { try settings() }
        let usual = home.appending(".aws/credentials")
        try FileManager.default.createDirectory(
            at: usual.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: usual)
        #expect(try settings()?.credentials.path == usual.path && settings()?.profile == "default")
        #expect(try settings(["AWS_PROFILE": "bank"])?.profile == "bank")
        #expect(try settings(["AWS_SHARED_CREDENTIALS_FILE": "/etc/aws/own"])?.credentials.path == "/etc/aws/own")
        let both = ["AWS_SHARED_CREDENTIALS_FILE": "/etc/aws/own", "ASSISTANT_AWS_CREDENTIALS_FILE": "/etc/ours"]
        #expect(try settings(both)?.credentials.path == "/etc/ours")
        let chinese = ["ASSISTANT_AWS_REGION": "cn-north-1"]
        #expect(try settings(chinese)?.endpoint == "https://kms.cn-north-1.amazonaws.com.cn")
    }

    @Test(
        "every wrong value is named",
        arguments: [
            ("ASSISTANT_KMS", "gcp"), ("ASSISTANT_EVIDENCE", "software"), ("ASSISTANT_EVIDENCE", "tpm"),
            ("ASSISTANT_AWS_REGION", ""), ("ASSISTANT_AWS_REGION", "eu central"), ("ASSISTANT_AWS_KEY_ID", ""),
            ("ASSISTANT_AWS_CREDENTIALS_FILE", ""), ("ASSISTANT_AWS_KMS_URL", "http://kms.example/"),
        ])
    func wrong(_ name: String, _ value: String) {
        #expect {
            try KeyServiceConfiguration(environment: Self.amazon.merging([name: value]) { $1 })
        } throws: {
            let problems = ($0 as? AssistantConfigurationError)?.problems ?? []
            return problems.count == 1 && problems[0].contains(name)
        }
    }
}
