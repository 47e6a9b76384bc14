import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import GPSDSource

/// A busy daemon has many descriptors; libgps' own waiting ends the process at the 1024th.
@Suite(.timeLimit(.minutes(10))) struct DescriptorTests {
    private static let wanted = 1100

    /// Raises the soft limit if the hard one allows it.
    private static let isPossible: Bool = {
        var limit = rlimit()
        // In Swift's view the name is an enum's, the parameter an integer.
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(files, &limit) == 0, limit.rlim_max > 2000 else { return false }
        limit.rlim_cur = max(limit.rlim_cur, 2001)
        return setrlimit(files, &limit) == 0
    }()

    @Test(.enabled(if: isPossible)) func descriptorsBeyondASelectsReachAreFine() async throws {
        let gpsd = try ScriptedGPSD.listening()
        var taken: [Int32] = []
        defer { for descriptor in taken { close(descriptor) } }
        while (taken.last ?? 0) < Self.wanted {
            let descriptor = dup(0)
            guard descriptor >= 0 else { throw Failure("no descriptor: \(errno)") }
            taken.append(descriptor)
        }
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.streamingVisit(devices: Line.device)
        try await visit.send(Line.fullTPV)
        #expect(try await log.fix().source.device == Line.device)
    }

    @Test func whereNoneIsLeftItIsTriedAgain() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let tries = Mutex(0)
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port)) {
            let isFirst = tries.withLock { tries in
                tries += 1
                return tries == 1
            }
            return isFirst ? nil : Waker()
        }
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.streamingVisit(devices: Line.device)
        try await visit.send(Line.fullTPV)
        #expect(try await log.fix().source.device == Line.device)
        guard case .condition(.unavailable(let reason)) = log.events.first else {
            throw Failure("\(log.events)")
        }
        #expect(reason == "no descriptor is left; raise LimitNOFILE")
    }
}
