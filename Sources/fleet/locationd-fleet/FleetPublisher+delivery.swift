import Delivery
import Fleet
@_spi(Programs) import LocationModel
import ServiceKit
@_spi(Programs) import SystemSupport

/// What is in the outbox is published within the hours, and deleted when the broker has it.
extension FleetPublisher {
    /// Seconds after which a failed access to the outbox is repeated.
    private static let retryPause = 5.0
    /// Seconds after which a disk that has not responded has failed.
    private static let patience = 10.0
    /// Seconds after which the hours are examined again at the latest: the clock and the time zone may be set.
    private static let longestHoursCheck = 60.0

    /// Publishes until ``end()``.
    func run() async {
        // The hours are examined before there is an input.
        wake.send()
        for await _ in wake.signals {
            do {
                try await followHours()
                try await removeAcknowledged()
                try await deliver()
                if isDrained { idle.send() }
            } catch {
                reportFailure(error)
                // What was to be deleted stays in flight until it is; it is not published again meanwhile.
                wakeLater(Self.retryPause)
            }
            reportState()
        }
    }

    /// Waits until the broker has everything, at most so many seconds, and not at all without a connection.
    func drain(within seconds: Double) async {
        guard connection != nil else { return }
        wake.send()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [idle] in
                // The first signal may be of an earlier time.
                for await _ in idle.signals where await self.isDrained { return }
            }
            group.addTask { [clock] in try? await clock.sleep(.seconds(seconds)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Whether the broker has everything, and the outbox nothing.
    private var isDrained: Bool { schedule.isIdle && acknowledged.isEmpty }

    /// Says that the disk does not respond, whenever it has not for a while, until ``end()``.
    func watchDisk() async { for await _ in hang.signals { reportFailure(.hung(path: outbox.path)) } }

    func watchForHang() -> Pause.Cancellation {
        clock.after(Self.patience) { [hang] in hang.send() }
    }

    /// Wakes ``run()`` after so many seconds, in place of an earlier time.
    private func wakeLater(_ seconds: Double) {
        timer?()
        timer = clock.after(seconds) { [wake] in wake.send() }
    }

    /// Pauses and resumes the delivery, and the need for locations, at the borders of the hours: what waits is
    /// published within them alone.
    private func followHours() async throws(OutboxError) {
        let isWithinHours = times.isWithinHours
        setNeed(isWithinHours)
        for delivery in deliveries { await delivery.setPaused(!isWithinHours) }
        guard !times.isAlways else { return }
        if !isWithinHours {
            leaveHours()
        } else if schedule.isPaused {
            schedule.resume(newest: try await outbox.newest())
            forgetHoursCheck()
        }
        let now = clock.now()
        if let hoursCheck, now < hoursCheck.time { return }
        state.hours = times.reason
        hoursCheck?.cancel()
        let seconds = min(times.timeToChange ?? Self.longestHoursCheck, Self.longestHoursCheck)
        hoursCheck = (now.advanced(bySeconds: seconds), clock.after(seconds) { [wake] in wake.send() })
    }

    /// Outside of the hours what waits is left where it is.
    func leaveHours() {
        guard !schedule.isPaused else { return }
        schedule.pause()
        forgetHoursCheck()
    }

    private func forgetHoursCheck() {
        hoursCheck?.cancel()
        hoursCheck = nil
    }

    private func removeAcknowledged() async throws(OutboxError) {
        let cancel = watchForHang()
        defer { cancel() }
        while !acknowledged.isEmpty {
            let ids = acknowledged
            try await outbox.remove(ids)
            acknowledged.removeFirst(ids.count)
            waiting = max(0, waiting - ids.count)
            for id in ids { schedule.acknowledge(id) }
        }
    }

    private func deliver() async throws(OutboxError) {
        while let number = connection {
            switch schedule.next(at: clock.now()) {
            case .publish(let id):
                let entry: MessageOutbox.Entry?
                do throws(OutboxError) {
                    entry = try await outbox.entry(id)
                } catch {
                    if number == connection { schedule.postpone(id) }
                    throw error
                }
                // The connection may have ended meanwhile, and another one have begun.
                guard number == connection, schedule.unacknowledged.contains(id) else { continue }
                guard let entry else {
                    schedule.acknowledge(id)
                    continue
                }
                // An old location must not replace the newest one at the broker.
                let isRetained = entry.message.isRetained && entry.isNewest
                publish(
                    BrokerMessage(
                        topic: entry.message.topic, payload: entry.message.payload, isRetained: isRetained), id, number)
            case .read(let id, let limit):
                let ids = try await outbox.ids(after: id, limit: limit)
                if number == connection { schedule.addBacklog(ids) }
            case .wait(let seconds):
                wakeLater(seconds)
                return
            case .rest: return
            }
        }
    }
}
