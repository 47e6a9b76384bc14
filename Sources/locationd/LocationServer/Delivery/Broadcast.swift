import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
import Varlink

/// Encodes the hub's updates and counts the encodings.
final class Broadcast {
    /// Messages encoded; each may be sent to many clients.
    private(set) var encodings = 0
    private let encoder = MessageEncoder()
    private let failed: () -> Void

    /// - Parameter failed: called when a value could not be encoded.
    init(failed: @escaping () -> Void) { self.failed = failed }

    /// The reply for all watches that are not behind.
    func ordinary(_ location: Location, at now: BootInstant) -> EncodedMessage {
        guard let reply = Aged(location, at: now).watchReply() else { return encoded(NoParameters(), continues: true) }
        encodings += 1
        return EncodedMessage(reply)
    }

    /// The replies for watches that get the same locations together.
    func batch(_ batch: LocationBatch, at now: BootInstant) -> EncodedMessage {
        let last = batch.locations.count - 1
        return EncodedMessage(
            joining: batch.locations.enumerated().map { index, location in
                var update = WatchUpdate(location: location)
                if index == 0 { update.dropped = batch.dropped }
                update.isFinal = batch.isFinal && index == last
                let isOrdinary = update.dropped == 0 && !update.isFinal
                return isOrdinary ? ordinary(location, at: now) : own(update, at: now)
            })
    }

    func ordinary(_ status: ServiceStatus) -> EncodedMessage {
        encoded(WatchReply(status: status), continues: true)
    }

    func ordinary(_ satellites: [Satellite]) -> EncodedMessage {
        guard let reply = WatchReply.encoded(satellites) else { return encoded(NoParameters(), continues: true) }
        encodings += 1
        return EncodedMessage(reply)
    }

    func ordinary(_ heading: Heading, measured time: BootInstant, at now: BootInstant) -> EncodedMessage {
        encoded(WatchReply(heading: Aged(heading, age: max(0, now.seconds(since: time)))), continues: true)
    }

    /// A reply for a single watch or monitor.
    func own(_ update: WatchUpdate, at now: BootInstant) -> EncodedMessage {
        if update.region != nil || update.visit != nil {
            let region = update.region.map { RegionReportOnWire($0, at: now) }
            return encoded(MonitorReply(region: region, visit: update.visit), continues: true)
        }
        let heading = update.heading.map { heading in
            Aged(heading, age: max(0, update.headingTime.map { now.seconds(since: $0) } ?? 0))
        }
        let reply = WatchReply(
            status: update.status, location: update.location.map { Aged($0, at: now) }, heading: heading,
            satellites: update.satellites, dropped: update.dropped > 0 ? update.dropped : nil)
        return encoded(reply, continues: !update.isFinal)
    }

    /// Every number in these values is checked to be finite when it is received, so encoding cannot fail. If it does
    /// fail, the failure is counted and the client gets an empty reply.
    private func encoded(_ reply: some Encodable, continues: Bool) -> EncodedMessage {
        encodings += 1
        if let bytes = try? encoder.reply(reply, continues: continues) { return EncodedMessage(bytes) }
        failed()
        return EncodedMessage((try? encoder.reply(NoParameters(), continues: continues)) ?? [])
    }
}
