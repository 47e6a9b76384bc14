@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import NIOCore
import NIOPosix
import ServiceServer
import Synchronization
@_spi(Programs) import SystemSupport
import Varlink

/// The users to whom long answers are being sent, with one watch of each at the daemon: from the first answer to the
/// end of the last.
///
/// Ownership: the table is behind a lock that is held for its change alone; calls in tasks of their own share it.
final class ReaderWatches: Sendable {
    private struct Entry {
        let watch: ReaderWatch
        var answers: Int
    }

    private let entries = Mutex<[UInt32: Entry]>([:])

    /// The watch of a user; each one that is taken is to be given back by ``endWatch(of:)``.
    func beginWatch(of uid: UInt32, at daemon: String) -> ReaderWatch {
        entries.withLock { entries in
            let entry = entries[uid] ?? Entry(watch: ReaderWatch(of: uid, at: daemon), answers: 0)
            entries[uid] = Entry(watch: entry.watch, answers: entry.answers + 1)
            return entry.watch
        }
    }

    func endWatch(of uid: UInt32) {
        let last = entries.withLock { entries -> ReaderWatch? in
            guard var entry = entries[uid] else { return nil }
            entry.answers -= 1
            entries[uid] = entry.answers > 0 ? entry : nil
            return entry.answers > 0 ? nil : entry.watch
        }
        last?.close()
    }

    /// The users who are watched.
    var users: Set<UInt32> { entries.withLock { Set($0.keys) } }
}

/// What the daemon says of one user, from moment to moment.
///
/// It asks for no locations and starts no receiver. The daemon sends a status at each change: of a decision, the
/// policy, a term, the switch, the user's login sessions.
final class ReaderWatch: Sendable {
    /// What is known of the user.
    enum Standing: Sendable, Equatable {
        /// The daemon has not answered yet.
        case unknown
        case known(Permission)
        /// It is not known any more, for this reason.
        case outage(String)
    }

    /// What a status says that may decide whether its user may know the position.
    struct Permission: Sendable, Equatable {
        let enabled: Bool
        let authorization: AuthorizationStatus
        let accuracy: AccuracyAuthorization
        /// It differs without a login session.
        let source: SourceState
        let reason: String?

        init(_ status: ServiceStatus) {
            (enabled, authorization, accuracy) = (status.enabled, status.authorization, status.accuracy)
            (source, reason) = (status.source, status.reason)
        }
    }

    let standing = Latest(Standing.unknown)
    /// On the event loop alone; empty before it began and after it was closed.
    private let watch: NIOLoopBoundBox<ServedWatch?>
    private let loop: any EventLoop

    fileprivate init(of uid: UInt32, at daemon: String) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        self.loop = loop
        watch = .makeEmptyBox(eventLoop: loop)
        var request = WatchRequest()
        request.location = false
        let program = ServedProgram(uid: uid, label: "track history")
        // Its numbers are finite, so it can be encoded.
        let call =
            (try? MessageEncoder().call(
                LocationInterface.Method.watch, ServedRequest(request: request, program: program), more: true)) ?? []
        let (standing, watch) = (standing, watch)
        loop.execute {
            watch.value = ServedWatch(daemon: daemon, call: call, on: loop) { input in
                switch input {
                case .failed(let failure, _): Self.set(.outage(failure.description), in: standing)
                case .answer(let update):
                    if let status = update.status { Self.set(.known(Permission(status)), in: standing) }
                }
            }
        }
    }

    /// A status that differs in nothing that counts has nobody judged again.
    private static func set(_ value: Standing, in standing: Latest<Standing>) {
        guard standing.current.value != value else { return }
        standing.change { $0 = value }
    }

    fileprivate func close() {
        let watch = watch
        loop.execute {
            watch.value?.close()
            watch.value = nil
        }
    }
}
