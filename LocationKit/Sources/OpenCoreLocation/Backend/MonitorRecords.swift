import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// The conditions of a ``CLMonitor``, the last event of each, and the streams of events.
///
/// Ownership: changed by the program and by the client thread, under one lock that is held for changes only; streams
/// receive their events under it, in order.
final class MonitorRecords: Sendable {
    private struct Contents {
        var identifiers: [String] = []
        var records: [String: CLMonitor.Record] = [:]
        var streams: [Int: AsyncStream<CLMonitor.Event>.Continuation] = [:]
        var lastStream = 0
        /// Events that occurred while there was no stream.
        var undelivered: [CLMonitor.Event] = []
    }

    /// How many events are buffered for a stream.
    private static let capacity = 10_000

    private let contents = Mutex(Contents())

    var identifiers: [String] { contents.withLock { $0.identifiers } }

    func record(for identifier: String) -> CLMonitor.Record? {
        contents.withLock { $0.records[identifier] }
    }

    func add(_ condition: any CLCondition, _ identifier: String, _ state: CLMonitor.Event.State, date: Date = Date()) {
        contents.withLock { contents in
            if contents.records[identifier] == nil { contents.identifiers.append(identifier) }
            contents.records[identifier] = CLMonitor.Record(
                condition: condition, lastEvent: CLMonitor.Event(identifier, state, date: date))
        }
    }

    func remove(_ identifier: String) {
        contents.withLock { contents in
            contents.records[identifier] = nil
            contents.identifiers.removeAll { $0 == identifier }
        }
    }

    /// The conditions that are not monitored.
    var unmonitored: [String] {
        contents.withLock { contents in
            contents.identifiers.filter { contents.records[$0]?.lastEvent.state == .unmonitored }
        }
    }

    /// Applies a report, which may be a repeated one.
    func apply(_ report: RegionReport, isAccuracyLimited: Bool) {
        if let event = CLMonitor.Event(report, isAccuracyLimited: isAccuracyLimited) { apply(event) }
    }

    /// Restores the last event of an earlier run.
    func restore(_ report: RegionReport) {
        guard let event = CLMonitor.Event(report) else { return }
        contents.withLock { contents in
            guard let record = contents.records[event.identifier] else { return }
            contents.records[event.identifier] = CLMonitor.Record(condition: record.condition, lastEvent: event)
        }
    }

    /// Records why a condition is not monitored, unless the error is temporary; `nil` means all conditions.
    func apply(_ error: LocationError, of identifier: String? = nil) {
        guard error.refusal != nil || error == .disabled else { return }
        for identifier in identifier.map({ [$0] }) ?? identifiers {
            apply(CLMonitor.Event(identifier, .unmonitored, because: error))
        }
    }

    private func apply(_ event: CLMonitor.Event) {
        contents.withLock { contents in
            guard let record = contents.records[event.identifier], record.lastEvent.state != event.state else { return }
            contents.records[event.identifier] = CLMonitor.Record(condition: record.condition, lastEvent: event)
            guard contents.streams.isEmpty else {
                for loop in contents.streams.values { loop.yield(event) }
                return
            }
            contents.undelivered.append(event)
            if contents.undelivered.count > Self.capacity { contents.undelivered.removeFirst() }
        }
    }

    /// The events from now on, preceded by those that no stream has received yet.
    var events: AsyncStream<CLMonitor.Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CLMonitor.Event.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        let number = contents.withLock { contents in
            contents.lastStream += 1
            contents.streams[contents.lastStream] = continuation
            for event in contents.undelivered { continuation.yield(event) }
            contents.undelivered = []
            return contents.lastStream
        }
        continuation.onTermination = { [weak self] _ in self?.removeStream(number) }
        return stream
    }

    private func removeStream(_ loop: Int) {
        // Released without the lock.
        let former = contents.withLock { $0.streams.removeValue(forKey: loop) }
        withExtendedLifetime(former) {}
    }

    /// Ends all streams.
    func finish() {
        let streams = contents.withLock { $0.streams.values.map(\.self) }
        for loop in streams { loop.finish() }
    }
}

extension CLMonitor.Event {
    /// - Returns: `nil` if the state is unknown.
    fileprivate init?(_ report: RegionReport, isAccuracyLimited: Bool = false) {
        let now = Date()
        let date = report.location.map { Date($0.timestamp, arrival: now - $0.age) } ?? now
        switch report.state {
        case .inside:
            self.init(report.identifier, .satisfied, date: date, isAccuracyLimited: isAccuracyLimited)
        case .outside:
            self.init(report.identifier, .unsatisfied, date: date, isAccuracyLimited: isAccuracyLimited)
        case .unknown: return nil
        }
    }
}
