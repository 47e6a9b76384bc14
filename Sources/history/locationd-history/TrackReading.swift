import Glibc
import Logging
import ServiceKit
import ServiceServer
import TrackHistory
import UnixSignals

/// Serves a file that no service records, to its owner alone: for `locctl track --file`.
struct TrackReading {
    /// Seconds without a connection after which it ends: whoever has started it may have been killed.
    private static let idleExit = 10.0

    private let reader: TrackReader

    /// - Throws: why the file cannot be read.
    init(at path: String) throws(TrackFileError) {
        reader = try TrackReader(at: path)
    }

    /// Serves until there is a signal, or nobody is connected any more; a line on standard output says when it is
    /// ready.
    func serve(_ socketPath: String, until signals: UnixSignalsSequence, _ logger: Logger) async throws {
        let server = try await CallServer(
            socket: .bind(path: socketPath, mode: 0o600, group: nil), limits: CallLimits(), idleExit: Self.idleExit,
            answerer: TrackAnswerer(
                reader: reader, recording: nil, access: HistoryAccess(daemon: nil, usersMayPause: false)),
            logger: logger)
        _ = write(STDOUT_FILENO, "ready\n", 6)
        try await ServiceParts({ await server.idle() }).run(until: signals, nil)
        await server.stop()
        unlink(socketPath)
    }
}
