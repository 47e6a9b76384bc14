import Foundation
import Glibc
import TestSupport

/// A real gpsd of the test's own: a port, a control socket and a folder that are nobody else's.
final class GPSD {
    /// Kept from one process to the next.
    let port: UInt16
    private let folder: URL
    private let arguments: [String]
    private var process = Process()

    /// - Parameter link: a name for the first receiver in gpsd's folder, to make long paths with.
    private init(receivers: [Receiver], link: String?) throws {
        port = try LoopbackPort.free()
        folder = FileManager.default.temporaryDirectory.appending(path: "GPSDSourceTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var devices = receivers.map(\.path)
        if let link, let device = devices.first {
            let path = folder.appending(path: link).path
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: device)
            devices[0] = path
        }
        // Without -n: a receiver sleeps until somebody asks.
        arguments = ["gpsd", "-N", "-b", "-S", String(port), "-F", folder.appending(path: "control").path] + devices
    }

    /// Starts gpsd; fails if there is none.
    static func started(receivers: [Receiver] = [], link: String? = nil) async throws -> GPSD {
        let gpsd = try GPSD(receivers: receivers, link: link)
        try await gpsd.start()
        return gpsd
    }

    deinit {
        end(with: SIGTERM)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The receivers' paths, as given to gpsd.
    var devices: [String] { Array(arguments.dropFirst(7)) }

    /// Starts gpsd (again), and waits until it listens.
    func start() async throws {
        try launch()
        try await wait("gpsd does not listen; is it installed?") { try sockets(in: ["0A"]) == 1 }
    }

    private func launch() throws {
        process = Process()
        // `env` finds gpsd by the path, to which the directory for daemons may have to be added.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = (environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
        // Not the segment of a gpsd that serves this machine; nobody reads it, so that all tests may share one.
        environment["GPSD_SHM_KEY"] = "0x6C660002"
        process.environment = environment
        process.standardError = FileHandle.nullDevice
        // A worker thread blocks most signals, and its children would do so too: gpsd has to hear when it is to end.
        var none = sigset_t()
        var usual = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &usual)
        defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try process.run()
    }

    func hangUp() { kill(process.processIdentifier, SIGHUP) }

    /// Ends the process at once, and waits for that.
    func crash() { end(with: SIGKILL) }

    private func end(with signal: Int32) {
        let limit = ContinuousClock.now + .seconds(60)
        kill(process.processIdentifier, signal)
        while process.isRunning, ContinuousClock.now < limit { poll(nil, 0, 10) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Tells gpsd of a receiver, as a hot-plug script does.
    func add(_ receiver: Receiver) throws {
        let socket = try ControlSocket(path: folder.appending(path: "control").path)
        let answer = try socket.ask("+\(receiver.path)\r\n\0")
        guard answer.hasPrefix("OK") else { throw Failure("gpsd does not take the receiver: \(answer)") }
    }

    /// True while gpsd has the device open.
    func holds(_ path: String) throws -> Bool {
        let descriptors = "/proc/\(process.processIdentifier)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")) == path
        }
    }

    /// Waits until gpsd's end of so many connections is open.
    func clients(become count: Int) async throws {
        // Established, or ended by the client only.
        try await wait("gpsd does not have \(count) clients") { try sockets(in: ["01", "08"]) == count }
    }

    /// How many sockets on gpsd's port are in these states, in the kernel's table.
    private func sockets(in states: Set<Substring>) throws -> Int {
        let place = String(format: "0100007F:%04X", port)
        return try Self.table().split(separator: "\n").count { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[1] == place && states.contains(columns[3])
        }
    }

    /// All of the kernel's table of TCP sockets; Foundation reads only the first page of such a file.
    private static func table() throws -> String {
        let file = open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure("no table of sockets: \(errno)") }
        defer { close(file) }
        var table: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &page, page.count), count > 0 { table += page.prefix(count) }
        return String(decoding: table, as: UTF8.self)
    }

    private func wait(_ failure: String, until isDone: () throws -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(60)
        while try !isDone() {
            guard ContinuousClock.now < limit else { throw Failure(failure) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
