import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct OneShotTests {
    let transport = ManagerTestTransport()
    let manager: LocationManager
    let answers = ValueRecorder<Result<Location, LocationError>>()

    init() {
        manager = LocationManager(LocationConfiguration(), transport: transport)
    }

    func request(timeout: Double = 30, desiredAccuracy: Double? = nil, maximumAge: Double = 0) {
        manager.requestLocation(timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge) {
            answers.append($0)
        }
    }

    @Test func theFirstLocationAnswersAllPendingRequests() throws {
        let observed = ValueRecorder<Location>()
        manager.addObserver(observed.observer())
        request()
        request()
        #expect(transport.interests.count == 1)
        transport.deliver(.connected, .status(.tracking), try Location.at(accuracy: nil).event)
        #expect(answers.values == [.success(try .at(accuracy: nil)), .success(try .at(accuracy: nil))])
        #expect(manager.location == (try .at(accuracy: nil)))
        #expect(observed.values == [try .at(accuracy: nil)], "one location, however many requests it answers")
        #expect(transport.interest.isEmpty)
        #expect(transport.moment == nil)
    }

    @Test func itWaitsForTheDesiredAccuracy() throws {
        request(desiredAccuracy: 10)
        transport.deliver(.connected, try Location.at(accuracy: 50).event, try Location.at(accuracy: nil).event)
        #expect(answers.values.isEmpty)
        #expect(manager.location == nil)
        transport.deliver(try Location.at(accuracy: 10).event)
        #expect(answers.values == [.success(try .at(accuracy: 10))])
    }

    @Test func theBestLocationIsInTheTimeOut() throws {
        request(timeout: 20, desiredAccuracy: 1)
        transport.deliver(.connected, try Location.at(accuracy: nil).event, try Location.at(accuracy: 8).event)
        transport.deliver(try Location.at(accuracy: 40).event)
        transport.advance(bySeconds: 19.9)
        #expect(answers.values.isEmpty)
        transport.advance(bySeconds: 0.1)
        #expect(answers.values == [.failure(.timedOut(best: try .at(accuracy: 8)))])
        #expect(transport.interest.isEmpty)
    }

    @Test func eachWaitsForItsOwnTime() {
        request(timeout: 20)
        request(timeout: 10)
        request(timeout: .infinity)
        transport.advance(bySeconds: 10)
        #expect(answers.values.count == 1)
        #expect(transport.moment == BootInstant(seconds: 1020))
        transport.advance(bySeconds: 10)
        #expect(answers.values.count == 2)
        #expect(transport.moment == nil)
        #expect(transport.interest.locations != nil)
    }

    @Test func completionsComeAtTheConfigurationsPlace() throws {
        let place = WaitingPlace()
        let manager = LocationManager(LocationConfiguration(delivery: place.delivery), transport: transport)
        manager.requestLocation(timeout: 1, desiredAccuracy: nil, maximumAge: 0) { [answers] in answers.append($0) }
        transport.deliver(.connected, try Location.at().event)
        #expect(answers.values.isEmpty)
        place.runAll()
        #expect(answers.values.count == 1)
    }

    @Test func anAsynchronousRequestIsAnswered() async throws {
        let location = try Location.at()
        transport.onDelivery { [transport] in transport.deliver(.connected, location.event) }
        #expect(try await manager.requestLocation() == location)
        transport.onDelivery { [transport] in transport.deliver(.disconnected(.gone)) }
        await #expect(throws: LocationError.gone) { try await manager.requestLocation() }
    }

    @Test func cancellationCancels() async throws {
        transport.onDelivery { withUnsafeCurrentTask { $0?.cancel() } }
        let task = Task { [manager] in try await manager.requestLocation() }
        await #expect(throws: LocationError.cancelled) { try await task.value }
        #expect(transport.interests.count == 2)
        #expect(transport.interest.isEmpty)
        #expect(transport.moment == nil)
    }

    @Test func aTaskCancelledInAdvanceRequestsNothing() async throws {
        let task = Task { [manager] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await manager.requestLocation()
        }
        await #expect(throws: LocationError.cancelled) { try await task.value }
        #expect(transport.interests.isEmpty)
    }

    @Test func cancellationCancelsTheCallForTheLast() async throws {
        transport.onDelivery { withUnsafeCurrentTask { $0?.cancel() } }
        let task = Task { [manager] in try await manager.requestLocation(maximumAge: 60) }
        await #expect(throws: LocationError.cancelled) { try await task.value }
        #expect(transport.lastLocationCalls.count == 1)
        #expect(transport.cancelledCalls == 1)
    }
}
