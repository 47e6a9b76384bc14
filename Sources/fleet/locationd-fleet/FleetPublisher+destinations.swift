import Delivery
import Fleet
import ServiceKit
@_spi(Programs) import SystemSupport

/// The destinations by HTTP, each of which has a loop of its own.
extension FleetPublisher {
    /// Sends what is in the outbox to all destinations until ``endDeliveries()``.
    ///
    /// - Parameter seconds: after which the requests are cancelled that are in progress then.
    nonisolated func runDeliveries(endingWithin seconds: Double) async {
        await withTaskGroup(of: Bool.self) { group in
            for delivery in deliveries {
                group.addTask {
                    await delivery.run {
                        await self.applyDestination(delivery.destination.name, $0, $1)
                    } _: {
                        await self.carryOut($0, for: .destinations)
                    }
                    return true
                }
            }
            group.addTask { [clock, ending] in
                for await _ in ending.signals {}
                try? await clock.sleep(.seconds(seconds))
                return false
            }
            var count = deliveries.count
            while count > 0, await group.next() == true { count -= 1 }
            group.cancelAll()
        }
    }

    /// Ends ``runDeliveries(endingWithin:)``.
    func endDeliveries() async {
        for delivery in deliveries { await delivery.end() }
        ending.finish()
    }

    private func applyDestination(_ name: String, _ delivery: HTTPDelivery.State, _ error: OutboxError?) {
        state.destinations[name] = delivery.trouble
        if let error { return reportFailure(error) }
        reportState()
    }
}
