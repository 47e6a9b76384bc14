import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// Seconds that an answer may take: the disk may be slow.
private let patience = 30.0

/// Seconds of processor time that reading a file may take: a track of a GiB, which is the most that the service keeps,
/// takes less.
private let readingTime = 600

/// The track history's socket, and the format of the answer.
struct HistoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The track history's socket.", valueName: "path"), completion: .file())
    var historySocket: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    /// Calls `body` with a connection to the service.
    ///
    /// - Parameter file: a file that is read without the service, by a program for this command alone.
    func connect(file: String? = nil, _ body: (VarlinkConnection) throws -> Void) throws {
        do {
            // Ctrl-C ends the program that reads the file, too.
            try Interruption.withWaker { waker in
                if let file { return try FileReading.connect(to: file, waker, body) }
                let path = historySocket ?? HistoryInterface.socketPath
                try body(try VarlinkConnection(path: path, waker: waker, patience: patience))
            }
        } catch let error as LocationError {
            throw Failure(error)
        }
    }
}

/// The file of a track that is read without the service.
struct TrackFileOption: ParsableArguments {
    @Option(
        name: .customLong("file"),
        help: ArgumentHelp("Read this GeoPackage instead, without the service.", valueName: "path"),
        completion: .file())
    var path: String?
}

/// Reads a file by a locationd-history for one command, which ends with it.
private enum FileReading {
    static func connect(to file: String, _ waker: Waker, _ body: (VarlinkConnection) throws -> Void) throws {
        var name = Array("/tmp/locctl-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else {
            throw Failure(code: ExitCodes.failed, message: "no folder in /tmp: \(String(cString: strerror(errno)))")
        }
        let folder = String(decoding: name.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let path = folder + "/history.sock"
        defer {
            unlink(path)
            rmdir(folder)
        }
        var service = try ServiceChild(
            ServiceChild.path(of: "locationd-history"),
            ["--read-only", "--file", file, "--socket", path, "--log-level", "warning"],
            processorTime: readingTime)
        switch try service.nextEvent(waker: waker, seconds: patience) {
        case .line: try body(try VarlinkConnection(path: path, waker: waker, patience: patience))
        case .woken: throw LocationError.cancelled
        case .timedOut, .ended:
            throw Failure(code: ExitCodes.failed, message: "locationd-history does not become ready")
        }
    }
}

extension Failure {
    /// What went wrong with the track history, and what to do.
    fileprivate init(_ error: LocationError) {
        let service = "locationd-history"
        switch error {
        case .daemonNotRunning(let path, let reason):
            self.init(
                code: ExitCodes.daemonNotReachable,
                message: "\(service) cannot be reached at \(path) (\(reason)); install the package \(service), "
                    + "`sudo systemctl enable --now \(service)`, or read a file by --file")
        case .refused(HistoryInterface.Failure.notAuthorized, let reason):
            self.init(code: ExitCodes.notAuthorized, message: "not authorized: \(reason ?? "it gives no reason")")
        case .refused(HistoryInterface.Failure.noSuchTrip, _):
            self.init(code: ExitCodes.failed, message: "there is no such trip; `locctl trips` lists them")
        default: self.init(error, of: service)
        }
    }
}
