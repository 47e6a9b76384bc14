import ClientTestSupport
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Asynchronous sequences: their first element, their demand, and their end.
@Suite(.timeLimit(.minutes(10))) struct ContractSequenceTests {
    @Test(arguments: Implementation.allCases) func locationsEndByCancellation(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            let received = ValueRecorder<Location>()
            let locations = subject.manager.locations
            let loop = Task {
                for await location in locations { received.append(location) }
                return Task.isCancelled
            }
            try await subject.awaitReceiver()
            #expect(!subject.manager.isUpdating)
            try await subject.send(latitude: 1)
            try await subject.send(latitude: 2)
            try await eventually("both locations", received) { $0.count == 2 }
            loop.cancel()
            #expect(await loop.value, "the sequence ended by itself")
            try await subject.awaitReceiver(wanted: false)
            #expect(received.latitudes == [1, 2])
        }
    }

    @Test(arguments: Implementation.allCases) func presentAuthorizationIsFirst(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            var statuses = subject.manager.authorizationStatuses.makeAsyncIterator()
            var delivered: [AuthorizationStatus] = []
            while delivered.last != .authorizedAlways, let status = await statuses.next() { delivered.append(status) }
            // The authorization is not known before the service has answered.
            #expect(delivered.dropLast().allSatisfy { $0 == .notDetermined } && delivered.count <= 2)
            try await subject.authorize(.denied)
            #expect(await statuses.next() == .denied)
            #expect(try await !subject.isReceiverWanted())
        }
    }

    @Test(arguments: Implementation.allCases) func statusesReportTheSwitch(of implementation: Implementation)
        async throws
    {
        try await implementation.run { subject in
            var statuses = subject.manager.statuses.makeAsyncIterator()
            let first = await statuses.next()
            #expect(first?.enabled == true && first?.source == .stopped)
            #expect(try await !subject.isReceiverWanted())
            try await subject.setEnabled(false)
            let second = await statuses.next()
            #expect(second?.enabled == false)
        }
    }

    @Test(arguments: Implementation.allCases) func updatesSayWhyNot(of implementation: Implementation) async throws {
        try await implementation.run { subject in
            let received = ValueRecorder<LocationReport>()
            let updates = subject.manager.updates
            let loop = Task { for await update in updates { received.append(update) } }
            try await subject.awaitReceiver()
            try await subject.send(latitude: 1)
            try await eventually("a location", received) { $0.contains(latitude: 1) }
            try await subject.setEnabled(false)
            try await eventually("that it is off", received) { $0.contains(.noLocation(.disabled)) }
            try await subject.setEnabled(true)
            try await subject.awaitReceiver()
            try await subject.send(latitude: 2)
            try await eventually("another location", received) { $0.contains(latitude: 2) }
            #expect(received.values.count { $0 == .noLocation(.disabled) } == 1)
            loop.cancel()
            await loop.value
            try await subject.awaitReceiver(wanted: false)
        }
    }
}

extension [LocationReport] {
    fileprivate func contains(latitude: Double) -> Bool {
        contains { if case .location(let location) = $0 { location.coordinate.latitude == latitude } else { false } }
    }
}
