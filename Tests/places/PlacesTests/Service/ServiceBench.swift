import Foundation
import Glibc
@_spi(Programs) import LocationModel
import Logging
import Places
import ProgramTestSupport
import ServiceServer
import Synchronization
@_spi(Programs) import SystemSupport

@testable import locationd_places

/// The real server on a socket of its own, with providers and a time that the test plays.
final class ServiceBench: Sendable {
    /// What a test may want otherwise than usual.
    struct Setup: Sendable {
        var limits = PlacesConfiguration.Limits()
        var idleExit: Double?
        var online: ScriptedPlaces?
        var offline = ScriptedPlaces { _ in .success([.berlin]) }
        /// The uid of each who connects, in this order; the last goes on.
        var users: [UInt32] = []
        /// Who may name others.
        var trusted: Set<UInt32> = [0]
    }

    let folder: TemporaryFolder
    let time = VirtualTime()
    let server: CallServer<PlacesAnswerer>
    private let isStopped = Mutex(false)

    var path: String { folder("places.sock") }

    /// Serves during `body`.
    static func run(
        _ change: (inout Setup) -> Void = { _ in }, _ body: (ServiceBench) async throws -> Void
    ) async throws {
        var setup = Setup()
        change(&setup)
        let folder = try TemporaryFolder()
        let bench = try await ServiceBench(
            setup, folder, .bind(path: folder("places.sock"), mode: 0o666, group: nil))
        do {
            try await body(bench)
        } catch {
            await bench.stop()
            throw error
        }
        await bench.stop()
    }

    /// Stops it, unless that happened already.
    func stop() async {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        if isFirst { await server.stop() }
    }

    init(_ setup: Setup, _ folder: TemporaryFolder, _ socket: consuming ListeningSocket) async throws {
        self.folder = folder
        var user = Listener.peerUser
        if !setup.users.isEmpty {
            let left = Mutex(setup.users[...])
            user = { _ in left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first } }
        }
        server = try await CallServer(
            socket: socket, limits: setup.limits, idleExit: setup.idleExit,
            answerer: PlacesAnswerer(
                providers: Providers(online: setup.online, offline: setup.offline), clock: time.clock,
                trustedCallers: TrustedCallers(setup.trusted)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: time.clock, user: user)
    }

    func connect() throws -> ServiceClient { try ServiceClient(path) }
}

/// A provider that answers what the test says, and tells what it was asked.
final class ScriptedPlaces: PlaceProvider {
    struct Asked: Sendable, Equatable {
        var position: Coordinate?
        var text: String?
        var limit: Int?
        var locale: String?
    }

    typealias Answer = @Sendable (Asked) async -> Result<[Placemark], PlacesError>

    private let answer: Answer
    private let heard = Mutex<[Asked]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    var asked: [Asked] { heard.withLock { $0 } }

    func placemarks(at coordinate: Coordinate, locale: String?) async throws(PlacesError) -> [Placemark] {
        try await answer(to: Asked(position: coordinate, locale: locale))
    }

    func placemarks(named text: String, locale: String?, limit: Int) async throws(PlacesError) -> [Placemark] {
        try await answer(to: Asked(text: text, limit: limit, locale: locale))
    }

    private func answer(to asked: Asked) async throws(PlacesError) -> [Placemark] {
        heard.withLock { $0.append(asked) }
        return try await answer(asked).get()
    }
}

extension Placemark {
    static let berlin: Placemark = {
        var placemark = Placemark(coordinate: .berlin)
        placemark.locality = "Berlin"
        placemark.countryCode = "DE"
        placemark.timeZone = "Europe/Berlin"
        return placemark
    }()
}

extension Coordinate {
    static let berlin: Coordinate = {
        guard let berlin = Coordinate(latitude: 52.5, longitude: 13.5) else { preconditionFailure("it is in range") }
        return berlin
    }()
}

/// Time that passes when the test says so.
final class VirtualTime: Sendable {
    private struct State {
        var now = 0.0
        var next = 0
        var waiting: [Int: (due: Double, body: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    var clock: ServiceClock {
        ServiceClock(
            now: ServiceClock.machine.now, utc: ServiceClock.machine.utc,
            after: { [self] seconds, body in
                let number = state.withLock { state in
                    state.next += 1
                    state.waiting[state.next] = (state.now + seconds, body)
                    return state.next
                }
                return { [self] in state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
            })
    }

    /// Seconds until each timer that is set, in order.
    var waiting: [Double] { state.withLock { state in state.waiting.values.map { $0.due - state.now }.sorted() } }

    func pass(_ seconds: Double) {
        let due = state.withLock { state in
            state.now += seconds
            let due = state.waiting.filter { $0.value.due <= state.now }
            for number in due.keys { state.waiting[number] = nil }
            return due.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.map(\.value.body)
        }
        for body in due { body() }
    }
}
