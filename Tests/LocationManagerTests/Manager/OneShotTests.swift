import LocationKit
import LocationModel
import Testing

@Suite struct OneShotTests {
    let service = ManagerTestTransport()
    let manager: LocationManager
    let answers = Notes<Result<Location, LocationError>>()

    init() {
        manager = LocationManager(LocationConfiguration(), service: service)
    }

    func request(timeout: Double = 30, desiredAccuracy: Double? = nil, maximumAge: Double = 0) {
        manager.requestLocation(timeout: timeout, desiredAccuracy: desiredAccuracy, maximumAge: maximumAge) {
            answers.add($0)
        }
    }

    @Test func theFirstLocationAnswersAllWhoWait() throws {
        let observed = Notes<Location>()
        manager.addObserver(observed.observer())
        request()
        request()
        #expect(service.wishes.count == 1)
        service.tell(.connected, .status(.tracking), try Location.at(accuracy: nil).event)
        #expect(answers.all == [.success(try .at(accuracy: nil)), .success(try .at(accuracy: nil))])
        #expect(manager.location == (try .at(accuracy: nil)))
        #expect(observed.all.isEmpty)
        #expect(service.wish.isEmpty)
        #expect(service.moment == nil)
    }

    @Test func itWaitsForTheDesiredAccuracy() throws {
        request(desiredAccuracy: 10)
        service.tell(.connected, try Location.at(accuracy: 50).event, try Location.at(accuracy: nil).event)
        #expect(answers.all.isEmpty)
        #expect(manager.location == nil)
        service.tell(try Location.at(accuracy: 10).event)
        #expect(answers.all == [.success(try .at(accuracy: 10))])
    }

    @Test func theBestLocationIsInTheTimeOut() throws {
        request(timeout: 20, desiredAccuracy: 1)
        service.tell(.connected, try Location.at(accuracy: nil).event, try Location.at(accuracy: 8).event)
        service.tell(try Location.at(accuracy: 40).event)
        service.advance(bySeconds: 19.9)
        #expect(answers.all.isEmpty)
        service.advance(bySeconds: 0.1)
        #expect(answers.all == [.failure(.timedOut(best: try .at(accuracy: 8)))])
        #expect(service.wish.isEmpty)
    }

    @Test func eachWaitsForItsOwnTime() {
        request(timeout: 20)
        request(timeout: 10)
        request(timeout: .infinity)
        service.advance(bySeconds: 10)
        #expect(answers.all.count == 1)
        #expect(service.moment == BootInstant(seconds: 1020))
        service.advance(bySeconds: 10)
        #expect(answers.all.count == 2)
        #expect(service.moment == nil)
        #expect(service.wish.locations != nil)
    }

    @Test func completionsComeAtTheConfigurationsPlace() throws {
        let place = WaitingPlace()
        let manager = LocationManager(LocationConfiguration(delivery: place.delivery), service: service)
        manager.requestLocation(timeout: 1, desiredAccuracy: nil, maximumAge: 0) { [answers] in answers.add($0) }
        service.tell(.connected, try Location.at().event)
        #expect(answers.all.isEmpty)
        place.runAll()
        #expect(answers.all.count == 1)
    }

    @Test func anAsynchronousRequestIsAnswered() async throws {
        let location = try Location.at()
        service.atSettling { [service] in service.tell(.connected, location.event) }
        #expect(try await manager.requestLocation() == location)
        service.atSettling { [service] in service.tell(.disconnected(.gone)) }
        await #expect(throws: LocationError.gone) { try await manager.requestLocation() }
    }

    @Test func cancellationCancels() async throws {
        service.atSettling { withUnsafeCurrentTask { $0?.cancel() } }
        let task = Task { [manager] in try await manager.requestLocation() }
        await #expect(throws: LocationError.cancelled) { try await task.value }
        #expect(service.wishes.count == 2)
        #expect(service.wish.isEmpty)
        #expect(service.moment == nil)
    }

    @Test func aTaskThatWasCancelledBeforeAsksForNothing() async throws {
        let task = Task { [manager] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await manager.requestLocation()
        }
        await #expect(throws: LocationError.cancelled) { try await task.value }
        #expect(service.wishes.isEmpty)
    }

    @Test func cancellationCancelsTheQuestionForTheLast() async throws {
        service.atSettling { withUnsafeCurrentTask { $0?.cancel() } }
        let task = Task { [manager] in try await manager.requestLocation(maximumAge: 60) }
        await #expect(throws: LocationError.cancelled) { try await task.value }
        #expect(service.lastLocationCalls.count == 1)
        #expect(service.cancelledCalls == 1)
    }
}
