@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

@Suite(.timeLimit(.minutes(10)))
struct UpdateBufferTests {
    private func location(_ sequence: Int64, dropped: Int? = nil) throws -> LocationUpdate {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 0, longitude: 0)), monotonicTime: BootInstant(nanoseconds: 0),
            source: SourceInformation(name: "gpsd"))
        location.sequence = sequence
        return LocationUpdate(WatchReply(location: Aged(location, age: 0), dropped: dropped))
    }

    private let status = LocationUpdate(
        WatchReply(
            status: ServiceStatus(
                authorization: .authorizedAlways, accuracy: .full, enabled: true, source: SourceStatus(state: .tracking)
            )))

    @Test func updatesComeInOrderThenTheEnd() async throws {
        let buffer = UpdateBuffer()
        for sequence in Int64(1)...256 { buffer.append(try location(sequence)) }
        buffer.finish()
        buffer.append(try location(999))
        for sequence in Int64(1)...256 {
            let update = try #require(try await buffer.next())
            #expect(update.location?.sequence == sequence)
            #expect(update.dropped == 0)
        }
        #expect(try await buffer.next() == nil)
        #expect(try await buffer.next() == nil)
    }

    @Test func oldestLocationsAreDroppedAndCountedInTheNext() async throws {
        let buffer = UpdateBuffer()
        buffer.append(status)
        buffer.append(try location(1, dropped: 4))
        for sequence in Int64(2)...300 { buffer.append(try location(sequence)) }
        #expect(try await buffer.next() == status)
        let first = try #require(try await buffer.next())
        #expect(first.location?.sequence == 46)
        // Four that the daemon reported, and 1...45.
        #expect(first.dropped == 49)
        for sequence in Int64(47)...300 { #expect(try await buffer.next()?.location?.sequence == sequence) }
    }

    @Test func statusesAreDroppedLast() async throws {
        let buffer = UpdateBuffer()
        for _ in 0..<255 { buffer.append(status) }
        for sequence in Int64(1)...3 { buffer.append(try location(sequence)) }
        for _ in 0..<255 { #expect(try await buffer.next() == status) }
        let last = try #require(try await buffer.next())
        #expect(last.location?.sequence == 3)
        #expect(last.dropped == 2)
    }

    @Test func endlessStatesAreBounded() async throws {
        let buffer = UpdateBuffer()
        for _ in 0..<1000 { buffer.append(status) }
        buffer.finish()
        var count = 0
        while try await buffer.next() != nil { count += 1 }
        #expect(count == 256)
    }

    @Test func errorIsThrownOnceAfterBufferedUpdates() async throws {
        let buffer = UpdateBuffer()
        buffer.append(status)
        buffer.finish(.disconnected)
        buffer.finish(.cancelled)
        #expect(try await buffer.next() == status)
        await #expect(throws: LocationError.disconnected) { try await buffer.next() }
        #expect(try await buffer.next() == nil)
    }

    @Test func waitingLoopReceivesEachImmediately() async throws {
        let buffer = UpdateBuffer()
        async let first = buffer.next()
        buffer.append(status)
        #expect(try await first == status)
        let end = Task { try await buffer.next() }
        buffer.finish(.disconnected)
        await #expect(throws: LocationError.disconnected) { try await end.value }
    }

    @Test func cancelledTaskFindsTheEnd() async throws {
        let buffer = UpdateBuffer()
        let task = Task { try await buffer.next() }
        task.cancel()
        #expect(try await task.value == nil)
    }
}
