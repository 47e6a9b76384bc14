import Glibc
import ProgramTestSupport
import Synchronization
import Testing

@testable import ServiceServer

/// Who is let in, and who is not, before anybody serves them.
@Suite(.timeLimit(.minutes(10)))
struct AcceptorTests {
    private enum Event: Sendable, Equatable {
        case delivered(UInt32)
        case refused(Int)
    }

    /// A listening socket with an acceptor behind it, and what the latter has told.
    private struct Door {
        let folder: TemporaryFolder
        let acceptor: Acceptor
        let address: SocketFile
        let events: AsyncStream<Event>

        /// - Parameters:
        ///   - user: whom the connections belong to, in the order in which they are accepted.
        ///   - take: called when one is delivered, with what tells that it is watched.
        init(
            perSecond: Double, user: @escaping @Sendable (Int32) -> UInt32?,
            take: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
        ) throws {
            folder = try TemporaryFolder()
            address = try SocketFile(folder("socket"))
            let (events, continuation) = AsyncStream.makeStream(of: Event.self)
            self.events = events
            let socket = try ListeningSocket.bind(path: folder("socket"), mode: 0o600, group: nil).listen()
            acceptor = try #require(
                Acceptor(
                    [socket], connectionsPerSecond: perSecond, user: user, isExempt: { $0 == 0 },
                    connectsForOthers: { $0 == 9 }
                ) {
                    arrival, taken in
                    close(arrival.descriptor)
                    take(taken)
                    continuation.yield(.delivered(arrival.caller.uid))
                } refused: {
                    continuation.yield(.refused($0))
                })
        }

        func pause() async {
            await withCheckedContinuation { continuation in acceptor.pause { continuation.resume() } }
        }

        /// Connects without waiting for a place in the queue.
        /// - Returns: the system's number of why it failed, or 0. The connection is closed at once.
        func connect() -> Int32 {
            let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
            let descriptor = socket(AF_UNIX, Int32(flags), 0)
            defer { close(descriptor) }
            return address.connect(descriptor) ? 0 : errno
        }

        /// What became of so many connections.
        func outcome(of connections: Int) async -> (delivered: [UInt32], refused: Int) {
            var (delivered, refused): ([UInt32], Int) = ([], 0)
            for await event in events {
                switch event {
                case .delivered(let uid): delivered.append(uid)
                case .refused(let count): refused += count
                }
                if delivered.count + refused == connections { break }
            }
            return (delivered, refused)
        }
    }

    /// Accepts connections that are registered whenever half of the limit has come: all that wait, because only the one
    /// that leaves half of the limit wakes the acceptor, and while it accepts in between that one comes late.
    private func acceptsAsTheyAreTaken(
        _ connections: Int, of user: UInt32, limit: Int, perSecond: Double
    ) async throws {
        let untaken = Mutex<[@Sendable () -> Void]>([])
        let door = try Door(perSecond: perSecond) { _ in
            user
        } take: { taken in
            untaken.withLock { $0.append(taken) }
        }
        for _ in 0..<connections { #expect(door.connect() == 0) }
        var delivered = 0
        while delivered < connections {
            let count = min(delivered == 0 ? limit : limit / 2, connections - delivered)
            let new = await door.outcome(of: count).delivered.count
            // Fewer come only if the time is over.
            guard new == count else { break }
            delivered += new
            let waiting = untaken.withLock { list in
                defer { list = [] }
                return list
            }
            #expect(waiting.count <= limit, "no more come before they are taken")
            for taken in waiting { taken() }
        }
        #expect(delivered == connections, "they are not refused")
        await door.acceptor.end()
    }

    /// Else a storm of theirs would be thousands of connections that nobody knows to be over.
    @Test func sparedAreAcceptedAsTheyAreTaken() async throws {
        try await acceptsAsTheyAreTaken(200, of: 0, limit: 64, perSecond: 10)
    }

    /// Their rate has no limit, for it is spent by those whom they serve; but no more are let in than get their turns.
    @Test func connectionsForOthersAreAcceptedAsTheyAreTaken() async throws {
        try await acceptsAsTheyAreTaken(64, of: 9, limit: 16, perSecond: 1)
    }

    @Test func thousandMayWaitToBeAccepted() async throws {
        let door = try Door(perSecond: 10_000) { _ in 7 }
        await door.pause()
        let codes = Set((0..<1000).map { _ in door.connect() })
        #expect(codes == [0], "one that finds no place is told EAGAIN")
        door.acceptor.resume()
        #expect(await door.outcome(of: 1000).delivered.count == 1000)
        await door.acceptor.end()
        #expect(door.connect() == ECONNREFUSED)
    }

    /// Of a user who connects in a loop the event loop sees so many as it would serve, and those to be refused in
    /// words.
    @Test func stormOfOneUserIsClosedUnheardAndCostsOthersNothing() async throws {
        let number = Mutex(0)
        let door = try Door(perSecond: 1) { _ in
            number.withLock { number in
                number += 1
                // Every hundredth is somebody else, and one is root.
                return number == 550 ? 0 : number.isMultiple(of: 100) ? 8 : 7
            }
        }
        await door.pause()
        for _ in 0..<1000 { #expect(door.connect() == 0) }
        door.acceptor.resume()
        let (delivered, refused) = await door.outcome(of: 1000)
        #expect(delivered.count { $0 == 8 } == 10)
        #expect(delivered.count { $0 == 0 } == 1)
        let most = 2 * (1 + Admission.refusedAtOncePerUser)
        // On a busy machine some more are let in while they are accepted, nine a second.
        #expect((most...most + 200).contains(delivered.count { $0 == 7 }), "\(delivered)")
        #expect(refused == 1000 - delivered.count)
        await door.acceptor.end()
    }

    @Test func whoIsNobodyIsClosedAndEverybodyElseIsNot() async throws {
        let number = Mutex(0)
        let door = try Door(perSecond: 100) { _ in
            number.withLock { number in
                number += 1
                return number == 1 ? nil : 7
            }
        }
        for _ in 0..<3 { #expect(door.connect() == 0) }
        #expect(await door.outcome(of: 2).delivered == [7, 7])
        await door.acceptor.end()
    }

    @Test func limitFollowsTheConfiguration() async throws {
        let door = try Door(perSecond: 1) { _ in 7 }
        door.acceptor.setLimit(connectionsPerSecond: 10_000)
        await door.pause()
        for _ in 0..<500 { #expect(door.connect() == 0) }
        door.acceptor.resume()
        #expect(await door.outcome(of: 500).refused == 0)
        await door.acceptor.end()
    }
}
