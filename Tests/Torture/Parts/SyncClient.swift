import Foundation
import Machine

/// The steps of a sync program until a file is complete: in its own order, under its own temporary names.
enum SyncStep: Sendable {
    case write(String, Data, truncating: Bool)
    case move(String, to: String)
}

/// The way in which a file enters the inbox.
enum SyncStyle: CaseIterable, Sendable {
    case rsync, syncthing, syncthingOnWindows, publisher, inPlace, renamedOver, twice

    /// - Parameter name: the file's final name.
    func steps(_ name: String, _ content: Data) -> [SyncStep] {
        switch self {
        case .rsync: Self.through(".\(name).\(Self.letters(6))", name, content)
        case .syncthing: Self.through(".syncthing.\(name).tmp", name, content)
        case .syncthingOnWindows: Self.through("~syncthing~\(name).tmp", name, content)
        case .publisher: Self.through("\(name).tmp", name, content)
        case .inPlace: Self.pieces(content).enumerated().map { .write(name, $1, truncating: $0 == 0) }
        case .renamedOver:
            [.write(name, content.prefix(Int.random(in: 0..<content.count)), truncating: true)]
                + Self.through(".\(name).\(Self.letters(6))", name, content)
        case .twice:
            Self.through(".\(name).\(Self.letters(6))", name, content)
                + Self.through(".syncthing.\(name).tmp", name, content)
        }
    }

    private static func through(_ temporary: String, _ name: String, _ content: Data) -> [SyncStep] {
        pieces(content).enumerated().map { .write(temporary, $1, truncating: $0 == 0) } + [.move(temporary, to: name)]
    }

    private static func pieces(_ content: Data) -> [Data] {
        let cuts = (0..<Int.random(in: 0...3)).map { _ in Int.random(in: 0...content.count) }.sorted()
        let edges = [0] + cuts + [content.count]
        return zip(edges, edges.dropFirst()).map { content.subdata(in: $0..<$1) }
    }

    private static func letters(_ count: Int) -> String {
        String((0..<count).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789".randomElement()! })
    }
}

/// The steps of one delivery in a random order. Each file's own order is kept; the manifest may come first.
struct SyncSchedule: Sendable {
    let steps: [SyncStep]

    init(pdf: (name: String, content: Data), manifest: (name: String, content: Data)) {
        var first = SyncStyle.allCases.randomElement()!.steps(pdf.name, pdf.content)[...]
        var second = SyncStyle.allCases.randomElement()!.steps(manifest.name, manifest.content)[...]
        let takesFirst: () -> Bool =
            switch Int.random(in: 0..<4) {
            case 0: { true }
            case 1: { false }
            default: { Bool.random() }
            }
        var steps: [SyncStep] = []
        while !first.isEmpty || !second.isEmpty {
            if second.isEmpty || (!first.isEmpty && takesFirst()) {
                steps.append(first.removeFirst())
            } else {
                steps.append(second.removeFirst())
            }
        }
        self.steps = steps
    }

    /// - Parameter longest: the longest pause between two steps, in milliseconds.
    /// - Returns: the longest time between two steps, which a busy machine may stretch.
    func play(in folder: URL, longest: Int) async throws -> Duration {
        var slowest = Duration.zero
        var before = ContinuousClock.now
        for step in steps {
            if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...longest))) }
            try Self.take(step, in: folder)
            slowest = max(slowest, ContinuousClock.now - before)
            before = .now
        }
        return slowest
    }

    private static func take(_ step: SyncStep, in folder: URL) throws {
        switch step {
        case .write(let name, let data, let truncating):
            let path = folder.appending(path: name).path
            let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (truncating ? O_TRUNC : O_APPEND)
            let descriptor = open(path, flags, 0o600)
            guard descriptor >= 0 else { throw FileError("opened", path) }
            defer { close(descriptor) }
            let written = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written == data.count else { throw FileError("written", path) }
        case .move(let name, let final):
            let path = folder.appending(path: name).path
            guard rename(path, folder.appending(path: final).path) == 0 else { throw FileError("renamed", path) }
        }
    }
}
