import Foundation
import Measuring

/// A way to fetch the statement.
struct Fetcher {
    let name: String
    /// The command for one fetch, from start to the PDF.
    let once: (_ folder: URL) -> [String]
    /// The command for a process that fetches once per line.
    let turns: (_ folder: URL) -> [String]
    /// True if it needs more than one process.
    var isTree = false
}

extension Fetcher {
    static func countersign(_ place: Place, _ bank: BankProcess, credentials: URL) -> Fetcher {
        Fetcher(
            name: "countersign",
            once: { folder in
                [
                    place.product("countersign").path, "script", "run", place.script.path, "--at", bank.url, "--ca",
                    bank.authority, "--credentials", credentials.path, "--param", "month=5", "--param", "year=2024",
                    "--output", folder.path,
                ]
            },
            turns: { folder in
                [place.product("FetchByCountersign").path, bank.url, bank.authority, folder.path, place.script.path]
            })
    }

    /// Countersign with Chromium as its engine: one for each fetch, with a profile of its own.
    ///
    /// - Parameter script: a script of the mock bank, below `BankScripts/DefaultBank`.
    static func browser(_ place: Place, _ bank: BankProcess, credentials: URL, script: String) -> Fetcher {
        let script = place.scripts.appending(path: script)
        return Fetcher(
            name: "countersign, Chromium",
            once: { folder in
                [
                    place.product("countersign").path, "script", "run", script.path, "--engine", "browser", "--at",
                    bank.url, "--credentials", credentials.path, "--param", "month=5", "--param", "year=2024",
                    "--output", folder.path,
                ] + (bank.authority.isEmpty ? [] : ["--ca", bank.authority])
            },
            turns: { folder in
                [
                    place.product("FetchByCountersign").path, bank.url, bank.authority, folder.path, script.path,
                    "browser",
                ]
            }, isTree: true)
    }

    /// The floor: bare libcurl.
    static func curl(_ place: Place, _ bank: BankProcess) -> Fetcher {
        let command = [place.product("FetchByCurl").path, bank.url, bank.authority]
        return Fetcher(
            name: "one bare libcurl handle", once: { command + [$0.path] }, turns: { command + [$0.path, "turns"] })
    }

    static func peer(
        _ name: String, _ file: String, _ place: Place, _ bank: BankProcess, isTree: Bool = false
    ) -> Fetcher {
        let command = [place.python.path, place.peers.appending(path: file).path, bank.url, bank.authority]
        return Fetcher(
            name: name, once: { command + [$0.path] }, turns: { command + [$0.path, "turns"] }, isTree: isTree)
    }
}

/// The paths of the benchmark.
struct Place {
    private let benchmarks: URL
    let python: URL

    /// - Parameter arguments: the folder Benchmarks, and the Python of the peers' virtual environment.
    init(_ arguments: [String]) {
        guard arguments.count == 3 else { fatalError("usage: WholeFetch BENCHMARKS PYTHON") }
        benchmarks = URL(filePath: arguments[1], directoryHint: .isDirectory).standardizedFileURL
        python = URL(filePath: arguments[2])
    }

    var peers: URL { benchmarks.appending(path: "Peers", directoryHint: .isDirectory) }
    var script: URL { scripts.appending(path: "meridian-savings.yaml") }
    var scripts: URL {
        benchmarks.appending(path: "../BankScripts/DefaultBank", directoryHint: .isDirectory).standardizedFileURL
    }

    func product(_ name: String) -> URL { benchmarks.appending(path: ".build/release/\(name)") }
}
