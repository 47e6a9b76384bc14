@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// Many geocoders at once: each request is answered once, few are sent at a time, and nothing is left behind.
@Suite(.timeLimit(.minutes(10)))
struct DaemonPlacesManyCallersTests {
    typealias Answer = Result<[Placemark], GeocodingError>

    private let answers = (0..<1000).map { _ in ValueRecorder<Answer>() }

    private var isEachAnswered: Bool { answers.allSatisfy { $0.count >= 1 } }

    private func requestAll(_ service: DaemonPlacesTransport) throws -> [ReverseGeocoder] {
        try answers.enumerated().map { number, seen in
            let geocoder = ReverseGeocoder(transport: service)
            geocoder.reverseGeocode(try .at(Double(number) / 100, 0)) { seen.append($0) }
            return geocoder
        }
    }

    @Test func aThousandAreAnsweredOverAFewConnections() async throws {
        let daemon = try LiveDaemon { _, _ in [PlaceReplies.places(PlaceReplies.zürich)] }
        let service = DaemonPlacesTransport(path: daemon.path, thread: ClientThread(named: "crowd-served"))
        let geocoders = try requestAll(service)
        try await eventually("every answer") { isEachAnswered }
        #expect(answers.allSatisfy { $0.count == 1 && (try? $0.values[0].get())?.first?.name == "Zürich" })
        #expect(daemon.calls.count == 1000)
        #expect(geocoders.allSatisfy { !$0.isGeocoding })
        try await eventually { daemon.open == 0 && ThreadCount.named("crowd-served") == 0 }
    }

    @Test func aThousandCallersLearnThatTheServiceIsAbsent() async throws {
        let folder = try TemporaryFolder()
        let service = DaemonPlacesTransport(path: folder("places.sock"), thread: ClientThread(named: "crowd-alone"))
        _ = try requestAll(service)
        try await eventually("every answer") { isEachAnswered }
        for seen in answers {
            guard seen.count == 1, case .failure(.serviceNotReachable) = seen.values[0] else {
                Issue.record("\(seen.values)")
                return
            }
        }
        try await eventually { ThreadCount.named("crowd-alone") == 0 }
    }

    /// The service answers every third request, closes the connection of every fifth, does not answer the others, and
    /// then ends.
    @Test func aThousandCallersLearnThatTheServiceWasKilled() async throws {
        let daemon = try LiveDaemon { _, daemon in
            let number = daemon.calls.count
            if number.isMultiple(of: 5) { return nil }
            return number.isMultiple(of: 7) ? [] : [PlaceReplies.error("NoResult")]
        }
        let service = DaemonPlacesTransport(path: daemon.path, thread: ClientThread(named: "crowd-killed"))
        _ = try requestAll(service)
        try await eventually("some are answered, and some are not") {
            daemon.open == PlacesRequestQueue.maximumActive && answers.contains { $0.values == [.failure(.noResult)] }
        }
        daemon.stop()
        try await eventually("every answer") { isEachAnswered }
        #expect(answers.allSatisfy { $0.count == 1 })
        try await eventually { ThreadCount.named("crowd-killed") == 0 }
        #expect(answers.allSatisfy { $0.count == 1 })
    }

    @Test func aFewRequestsAreActiveAtATimeAndAllCanBeCancelled() async throws {
        let daemon = try LiveDaemon { _, _ in [] }
        let thread = ClientThread(named: "crowd-given-up")
        let service = DaemonPlacesTransport(path: daemon.path, thread: thread)
        let geocoders = try requestAll(service)
        let asked = ValueRecorder<Int>()
        #expect(thread.perform { loop in asked.append(service.queue(loop).activeCount) })
        try await eventually("the count") { asked.count == 1 }
        #expect(asked.values == [PlacesRequestQueue.maximumActive])
        for geocoder in geocoders {
            geocoder.cancelGeocode()
            geocoder.cancelGeocode()
        }
        #expect(answers.allSatisfy { $0.values == [.failure(.cancelled)] })
        try await eventually { daemon.open == 0 && ThreadCount.named("crowd-given-up") == 0 }
        #expect(answers.allSatisfy { $0.count == 1 })
    }

    /// Threads that call and cancel the same geocoders at random; each request is answered once.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func stormOfCancellationsLeavesNothing(_ seed: UInt64) async throws {
        let daemon = try LiveDaemon { _, daemon in
            daemon.calls.count.isMultiple(of: 4) ? [] : [PlaceReplies.places(PlaceReplies.zürich)]
        }
        let name = "storm-\(seed)"
        let service = DaemonPlacesTransport(path: daemon.path, thread: ClientThread(named: name))
        let geocoders = (0..<20).map { _ in ReverseGeocoder(transport: service) }
        let asked = ValueRecorder<Void>()
        let received = ValueRecorder<Void>()
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: seed * 10 + UInt64(part))
                    for _ in 0..<500 {
                        let geocoder = geocoders[Int.random(in: geocoders.indices, using: &random)]
                        let latitude = Double.random(in: -80...80, using: &random)
                        guard Bool.random(using: &random), let place = Coordinate(latitude: latitude, longitude: 0)
                        else {
                            geocoder.cancelGeocode()
                            continue
                        }
                        asked.append(())
                        geocoder.reverseGeocode(place) { _ in received.append(()) }
                    }
                }
            }
        }
        for geocoder in geocoders { geocoder.cancelGeocode() }
        let count = asked.count
        // The client's thread is still delivering some.
        try await eventually { received.count == count }
        #expect(count > 500)
        try await eventually { daemon.open == 0 && ThreadCount.named(name) == 0 }
        #expect(received.count == count)
    }
}
