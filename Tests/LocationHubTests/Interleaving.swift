import LocationHub
import LocationModel
import TestSupport
import Testing

/// A hub in the hands of chance, with a ledger for each watch.
struct Interleaving {
    var server: ServerDouble
    var random: SeededGenerator
    var ledgers: [WatchID: WatchLedger] = [:]
    var pending: [RequestID: (deadline: BootInstant, isPassive: Bool)] = [:]
    var nextRequest = 0
    /// The last moment at which somebody needed the sources.
    var lastNeed = BootInstant(seconds: 0)
    var mostWatches = 0
    /// The state every watch had been told of when last looked at.
    private var announced = SourceState.stopped

    init(seed: UInt64) {
        server = ServerDouble(sources: 2) { $0.linger = 5 }
        random = SeededGenerator(seed: seed)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func anyWatch() -> WatchID? {
        ledgers.keys.sorted { $0.slot < $1.slot }.randomElement(using: &random)
    }

    /// Checks what every watch was sent since the last time, and forgets those that ended.
    mutating func settle(opening: WatchID? = nil, reading: WatchID? = nil) {
        for id in ledgers.keys.sorted(by: { $0.slot < $1.slot }) {
            for (index, update) in server.updates(id).enumerated() {
                ledgers[id]?.check(
                    update, isOpening: id == opening && index == 0, fromBacklog: id == reading,
                    isEnabled: server.hub.isEnabled)
            }
            if ledgers[id]?.isFinished == true || server.disconnected.contains(id) {
                #expect(server.hub.progress(of: id) == nil, "an ended watch leaves its place")
                ledgers[id] = nil
                server.forget(id)
            } else if let progress = server.hub.progress(of: id) {
                ledgers[id]?.balance(hubDropped: progress.dropped, isBehind: progress.isBehind)
            } else {
                Issue.record("the watch is gone")
            }
        }
        if announced == .tracking, server.hub.announced.state != .tracking {
            for id in ledgers.keys { ledgers[id]?.forgetAnchor() }
        }
        announced = server.hub.announced.state
        server.clear()
        server.forgetDisconnected()
        mostWatches = max(mostWatches, ledgers.count)
        checkRequests()
    }

    private mutating func checkRequests() {
        for (id, request) in pending {
            if server.answers[id] != nil {
                pending[id] = nil
            } else {
                #expect(request.deadline > server.now, "every request is answered in time")
            }
        }
        #expect(server.hub.requestCount == pending.count)
        #expect(server.hub.isEnabled || pending.isEmpty)
    }

    /// What holds whatever happened.
    mutating func checkWhole() {
        let hub = server.hub
        #expect(hub.watchCount == ledgers.count)
        #expect(hub.receiverReports.count <= 64)
        #expect(ledgers.keys.allSatisfy { $0.slot < mostWatches })
        if let deadline = hub.nextDeadline { #expect(deadline > server.now) }
        let isNeeded =
            hub.isEnabled
            && (pending.values.contains { !$0.isPassive }
                || ledgers.values.contains {
                    $0.permission.mayReceive && !$0.request.passive
                        && ($0.request.location || $0.request.heading || $0.request.satellites)
                })
        if isNeeded {
            lastNeed = server.now
            #expect(hub.isDemanded)
        } else if !hub.isEnabled || server.now.seconds(since: lastNeed) > hub.settings.linger {
            #expect(!hub.isDemanded)
        }
        #expect(server.demands.last ?? false == hub.isDemanded)
        for (id, ledger) in ledgers where hub.progress(of: id)?.isBehind == false {
            let present = hub.status(for: ledger.permission, at: server.now)
            #expect(ledger.status?.source == present.source, "who is not behind knows the present state")
            #expect(ledger.status?.reason == present.reason)
            #expect(ledger.status?.enabled == present.enabled)
            #expect(ledger.status?.headingAvailable == present.headingAvailable)
        }
    }
}
