@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

/// The delegate's calls for significant changes and visits.
@MainActor
@Suite struct ManagerMovementTests {
    @Test func significantChangesAreLocations() async throws {
        #expect(CLLocationManager.significantLocationChangeMonitoringAvailable())
        let stage = await ManagerStage()
        stage.manager.startMonitoringSignificantLocationChanges()
        for latitude in [52, 52.0001, 52.1] {
            stage.monitors.send(latitude: latitude)
            await stage.drainMainQueue()
        }
        #expect(stage.delegate.calls == [.locations([52]), .locations([52.1])])
        #expect(stage.manager.location?.coordinate.latitude == 52.1)
        #expect(!stage.fake.isReceiverWanted)
        stage.manager.stopMonitoringSignificantLocationChanges()
        stage.monitors.send(latitude: 53)
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.count == 2)
        #expect(stage.monitors.all.allSatisfy { !$0.isMonitoringWanted || $0.name != nil })
    }

    @Test func aDenialOfChangesIsReported() async {
        let stage = await ManagerStage(authorization: .denied)
        stage.delegate.forget()
        stage.manager.startMonitoringSignificantLocationChanges()
        await stage.drainMainQueue()
        #expect(stage.delegate.calls == [.failure(.denied)])
    }

    @Test func visitsAreDelivered() async {
        let stage = await ManagerStage()
        stage.manager.startMonitoringVisits()
        for minute in 0..<60 {
            let isThere = minute < 40
            stage.monitors.send(latitude: isThere ? 52 : 52 + Double(minute) / 100)
            for monitor in stage.monitors.all { monitor.advance(by: 60) }
        }
        await stage.drainMainQueue()
        #expect(stage.delegate.calls.count >= 2)
        guard case .visit(let latitude, false)? = stage.delegate.calls.first else {
            Issue.record("\(stage.delegate.calls)")
            return
        }
        #expect(abs(latitude - 52) < 0.001)
        #expect(stage.delegate.calls.contains { if case .visit(_, true) = $0 { true } else { false } })
    }

    @Test func aVisitSaysAllThatIsKnown() throws {
        let visit = Visit(
            coordinate: try #require(Coordinate(latitude: 52, longitude: 13)), horizontalAccuracy: 30,
            arrival: UTCTime(seconds: 1000), departure: nil, isPresent: true)
        for received in [CLVisit(visit), try #require(try archiveCopy(CLVisit(visit)))] {
            #expect(received.coordinate.latitude == 52 && received.coordinate.longitude == 13)
            #expect(received.horizontalAccuracy == 30)
            #expect(received.arrivalDate == Date(timeIntervalSince1970: 1000))
            #expect(received.departureDate == .distantFuture)
        }
    }
}
