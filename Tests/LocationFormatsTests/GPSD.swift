import Foundation
import Glibc
import TestSupport

/// A gpsd of the test's own: its receiver is a pseudo terminal, its port is nobody else's.
final class GPSD {
    /// What gpsd reports of a fix.
    struct TPV: Decodable {
        let `class`: String
        var mode: Int?
        var status: Int?
        var time: String?
        var lat: Double?
        var lon: Double?
        var altMSL: Double?
        var altHAE: Double?
        var geoidSep: Double?
        var speed: Double?
        var track: Double?
        var magvar: Double?
    }

    private let process = Process()
    private let receiver: PseudoTerminal
    private let folder: URL
    private let port: UInt16
    private var client: LoopbackSocket?
    private var unread: [UInt8] = []

    /// Starts gpsd; fails if there is none.
    init() throws {
        receiver = try PseudoTerminal()
        port = try LoopbackPort.free()
        folder = FileManager.default.temporaryDirectory.appending(path: "LocationFormatsTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // `env` finds gpsd by the path, to which the directory for daemons may have to be added.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "gpsd", "-N", "-n", "-b", "-S", String(port), "-F", folder.appending(path: "control").path, receiver.path,
        ]
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = (environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
        // Not the segment of a gpsd that serves this machine; nobody reads it, so that all tests may share one.
        environment["GPSD_SHM_KEY"] = "0x6C660001"
        process.environment = environment
        // A worker thread blocks most signals, and its children would do so too: gpsd has to hear when it is to end.
        var none = sigset_t()
        var usual = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &usual)
        defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try process.run()
    }

    deinit {
        defer { try? FileManager.default.removeItem(at: folder) }
        guard process.isRunning else { return }
        process.terminate()
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(60)
        while process.isRunning, clock.now < deadline { poll(nil, 0, 10) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Feeds what `feed` gives, a second of fixes at a time, until gpsd reports one that `accept` takes.
    ///
    /// Feeding goes on because gpsd forgets what came before it had opened the device, and because it reports a
    /// second's fix when it has learned which sentence is the last one.
    func report(within seconds: Double, feed: () -> String, accept: (TPV) -> Bool) throws -> TPV {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds)
        while clock.now < deadline {
            guard process.isRunning else { throw Failure("gpsd is missing, or ended: \(process.terminationStatus)") }
            try receiver.write(feed())
            if client == nil {
                client = try LoopbackSocket.connected(to: port)
                try client?.write("?WATCH={\"enable\":true,\"json\":true};\n")
            }
            for report in try reports(forMilliseconds: 100) where accept(report) { return report }
        }
        throw Failure("gpsd did not report it within \(seconds) s")
    }

    /// The fixes that have arrived, after waiting for some so long at most.
    private func reports(forMilliseconds milliseconds: Int32) throws -> [TPV] {
        unread += try LoopbackSocket.bytes(from: client, forMilliseconds: milliseconds)
        let lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        unread = Array(lines.last ?? [])
        return try lines.dropLast().filter { !$0.isEmpty }
            .map { try JSONDecoder().decode(TPV.self, from: Data($0)) }
            .filter { $0.class == "TPV" }
    }
}
