@_spi(Programs) import LocationKitTesting
@_spi(Programs) import OpenCoreLocation
import TestSupport
import Testing

/// Programs that monitor, as they are written for Apple's framework.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct WrapperMonitoringTests {
    @Test func aReminderRemindsOnceForEachArrival() async {
        let monitors = FakeMonitors()
        await LocationBackend.$current.withValue(backend(FakeLocationManager(), monitors: monitors)) {
            let program = GeofenceReminder()
            var reminders: [String] = []
            program.onReminder = { reminders.append($0) }
            program.remind("water the plants", at: CLLocationCoordinate2D(latitude: 52, longitude: 13), named: "garden")
            await mainQueueTurn()
            #expect(program.isArmed == ["garden"])
            #expect(program.places == ["garden"])
            for latitude in [52.0, 52, 53, 52, 53] {
                monitors.send(latitude: latitude)
                await mainQueueTurn()
                await mainQueueTurn()
            }
            #expect(reminders == ["water the plants", "water the plants"])
            program.forget("garden")
            #expect(program.places.isEmpty)
        }
    }

    @Test func aCounterCountsArrivals() async throws {
        let monitors = FakeMonitors()
        try await LocationBackend.$current.withValue(backend(FakeLocationManager(), monitors: monitors)) {
            let program = PlaceCounter()
            let places = [
                (name: "cafe", center: CLLocationCoordinate2D(latitude: 52, longitude: 13)),
                (name: "bar", center: CLLocationCoordinate2D(latitude: 53, longitude: 13)),
            ]
            let task = Task { try await program.run(places) }
            try await eventually("both are monitored") { monitors.all.last?.regions.count == 2 }
            for latitude in [54.0, 52, 53, 52] { monitors.send(latitude: latitude) }
            try await eventually("the cafe is visited twice") { await program.count(of: "cafe") >= 2 }
            #expect(await program.count(of: "bar") == 1)
            task.cancel()
            try await task.value
        }
    }

    @Test func aLoggerWritesDownStaysAndTheWay() async {
        let monitors = FakeMonitors()
        await LocationBackend.$current.withValue(backend(FakeLocationManager(), monitors: monitors)) {
            let program = VisitLogger()
            program.start()
            for minute in 0..<60 {
                monitors.send(latitude: minute < 40 ? 52 : 52 + Double(minute) / 100)
                for monitor in monitors.all { monitor.advance(by: 60) }
            }
            await mainQueueTurn()
            await mainQueueTurn()
            #expect(program.entries.first == VisitLogger.Entry(latitude: 52, hasEnded: false))
            #expect(program.entries.contains(VisitLogger.Entry(latitude: 52, hasEnded: true)))
            #expect(program.waypoints > 10)
            program.stop()
        }
    }
}
