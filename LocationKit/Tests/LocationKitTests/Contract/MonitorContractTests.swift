import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The contract of a monitor and of its fake.
@Suite(.timeLimit(.minutes(10)), .patient) struct MonitorContractTests {
    @Test(arguments: Implementation.allCases) func entriesAndExitsAreDelivered(of implementation: Implementation)
        async throws
    {
        try await implementation.runMonitors { subject in
            let monitor = try await subject.makeMonitor(.circle("home", at: 50), .circle("work", at: 51))
            let reports = ValueRecorder<RegionReport>()
            monitor.addObserver(reports.observer())
            monitor.start()
            try await eventually("both states", reports) { $0.count == 2 }
            #expect(reports.values.allSatisfy { $0.state == .unknown && $0.event == nil && $0.location == nil })
            try await subject.send(latitude: 50)
            try await eventually("both are decided", reports) { $0.count == 4 }
            #expect(monitor.report(of: "home")?.state == .inside && monitor.report(of: "work")?.state == .outside)
            try await subject.send(latitude: 51)
            try await eventually("the way to work", reports) { $0.count == 6 }
            let events = reports.values.suffix(2)
            #expect(events.map(\.identifier) == ["home", "work"])
            #expect(events.map(\.event) == [.exited, .entered])
            #expect(events.allSatisfy { $0.location?.coordinate.latitude == 51 })
            monitor.remove(identifier: "work")
            #expect(monitor.report(of: "work") == nil)
            try await subject.send(latitude: 50)
            try await eventually("the way home", reports) { $0.count >= 7 }
            #expect(reports.values.dropFirst(6).allSatisfy { $0.identifier == "home" })
            monitor.stop()
        }
    }

    @Test(arguments: Implementation.allCases) func aRegionAddedLaterIsReported(of implementation: Implementation)
        async throws
    {
        try await implementation.runMonitors { subject in
            let monitor = try await subject.makeMonitor(name: "late", regions: [.circle("home", at: 50)], change: nil)
            let reports = ValueRecorder<RegionReport>()
            monitor.addObserver(reports.observer())
            monitor.start()
            try await eventually("the first state", reports) { $0.count == 1 }
            monitor.add(try .circle("work", at: 51))
            try await eventually("the second", reports) { $0.last?.identifier == "work" }
            try await subject.send(latitude: 51)
            try await eventually("both are decided", reports) { $0.count == 4 }
            #expect(monitor.report(of: "work")?.state == .inside)
            monitor.stop()
        }
    }

    @Test(arguments: Implementation.allCases) func nothingIsLostOverRestarts(of implementation: Implementation)
        async throws
    {
        try await implementation.runMonitors { subject in
            let reports = ValueRecorder<RegionReport>()
            for name in ["persisted", nil] {
                let monitor = try await subject.makeMonitor(
                    name: name, regions: [.circle("a", at: 50), .circle("b", at: 51)], change: nil)
                let begin = reports.values.count
                let errors = ValueRecorder<LocationError>()
                monitor.addObserver(reports.observer())
                monitor.addObserver(errors.observer())
                monitor.start()
                try await eventually("both states", reports) { $0.count == begin + 2 }
                try await subject.send(latitude: 50)
                try await eventually("both are decided", reports) { $0.count == begin + 4 }
                try await subject.endService()
                try await eventually("the end", errors) { !$0.isEmpty }
                try await subject.beginService()
                try await eventually("the return") { monitor.status != nil }
                try await subject.send(latitude: 51)
                try await eventually("what happened meanwhile", reports) { $0.count == begin + 6 }
                #expect(reports.values.suffix(2).map(\.event) == [.exited, .entered])
                monitor.stop()
                monitor.removeObservers()
            }
        }
    }

    @Test(arguments: Implementation.allCases) func thePersistedStateIsLoaded(by implementation: Implementation)
        async throws
    {
        try await implementation.runMonitors { subject in
            let first = try await subject.makeMonitor(name: "persisted", regions: [.circle("a", at: 50)], change: nil)
            first.start()
            try await eventually("it is connected") { first.status != nil }
            try await subject.send(latitude: 50)
            try await eventually("it is decided") { first.report(of: "a")?.state == .inside }
            first.stop()
            let second = try await subject.makeMonitor(name: "persisted", regions: [], change: nil)
            #expect(second.regions == [try .circle("a", at: 50)])
            let reports = ValueRecorder<RegionReport>()
            second.addObserver(reports.observer())
            second.start()
            try await eventually("it is connected") { second.status != nil }
            try await subject.send(latitude: 51)
            try await eventually("what happened meanwhile", reports) { $0.last?.event == .exited }
            try await subject.removePersistedMonitor("persisted")
            try await eventually("it is forgotten") { !second.isMonitoring }
            #expect(second.regions.isEmpty)
        }
    }

    @Test(arguments: Implementation.allCases) func aDeniedLoopWaits(before implementation: Implementation) async throws
    {
        try await implementation.runMonitors { subject in
            let monitor = try await subject.makeMonitor(.circle("home", at: 50))
            let reports = ValueRecorder<RegionReport>()
            let errors = ValueRecorder<LocationError>()
            monitor.addObserver(reports.observer())
            monitor.addObserver(errors.observer())
            try await subject.authorize(.denied)
            monitor.start()
            try await eventually("the denial", errors) { !$0.isEmpty }
            guard case .unauthorized(.denied, _) = errors.values[0] else { throw Failure("\(errors.values)") }
            try await subject.send(latitude: 50)
            let known = ValueRecorder<[RegionReport]>()
            monitor.addObserver(
                Observer<ServiceStatus> { if $0.authorization == .authorizedAlways { known.append(reports.values) } })
            try await subject.authorize(.authorizedAlways)
            try await eventually("it is allowed", known) { !$0.isEmpty }
            #expect(known.values[0].allSatisfy { $0.state == .unknown }, "a state was delivered without authorization")
            try await subject.send(latitude: 50)
            try await eventually("it is decided", reports) { $0.last?.state == .inside }
            #expect(errors.values.count == 1)
            monitor.stop()
        }
    }

    @Test(arguments: Implementation.allCases) func significantChangesAreDelivered(of implementation: Implementation)
        async throws
    {
        try await implementation.runMonitors { subject in
            let monitor = try await subject.makeMonitor(
                name: nil, regions: [], change: SignificantChange(distance: 1000))
            let loop = ValueRecorder<Location>()
            let task = Task { [changes = monitor.significantLocations] in
                for await location in changes { loop.append(location) }
            }
            try await eventually("it is connected") { monitor.status != nil }
            for latitude in [50, 50.0001, 50.1, 50.1001, 50.2] { try await subject.send(latitude: latitude) }
            try await eventually("three changes", loop) { $0.count == 3 }
            #expect(loop.latitudes == [50, 50.1, 50.2])
            task.cancel()
            await task.value
            try await eventually("it is over") { monitor.status == nil }
        }
    }

    @Test(arguments: Implementation.allCases) func aLoopRequestsUpdatesAndAnObserverDoesNot(
        of implementation: Implementation
    )
        async throws
    {
        try await implementation.runMonitors { subject in
            let monitor = try await subject.makeMonitor(.circle("home", at: 50))
            let reports = ValueRecorder<RegionReport>()
            monitor.addObserver(reports.observer())
            #expect(!monitor.isMonitoring && monitor.status == nil)
            let asking = Observer<RegionReport>(requestsUpdates: true) { _ in }
            monitor.addObserver(asking)
            try await eventually("it monitors", reports) { $0.count == 1 }
            #expect(!monitor.isMonitoring)
            monitor.removeObserver(asking)
            try await eventually("it does not") { monitor.status == nil }
            var iterator = monitor.regionReports.makeAsyncIterator()
            let first = await iterator.next()
            #expect(first?.identifier == "home")
            try await eventually("the observer receives it, too", reports) { $0.count == 2 }
            monitor.removeObservers()
        }
    }
}
