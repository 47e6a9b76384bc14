@_spi(Programs) package import LocationModel

/// The reference model: what each watch must be sent and must not, which receiver is followed and when sources
/// run, computed from the inputs and the documented rules alone.
///
/// A driver reports what goes in and comes out, in that order, and reads ``faults``. There are two: the hub's
/// interleavings, which see the hub's actions, and the simulated machine, which sees the wire.
package final class ExpectedService {
    package struct Fix {
        package let location: Location
        package let isFollowed: Bool
    }

    /// What is wrong so far.
    package private(set) var faults: [String] = []
    /// Those that are connected.
    package var clients: [ExpectedClient] = []
    package var receivers: ExpectedReceivers
    package var plausibility = ExpectedPlausibility()
    package var demand = ExpectedDemand()
    package private(set) var movement = ExpectedMovement()
    /// How often a client was told that its watch is paused, and that it is not any more.
    package internal(set) var pauses = (begun: 0, ended: 0)
    package private(set) var isEnabled = true
    package private(set) var fixes: [Int64: Fix] = [:]
    package private(set) var lastSequence: Int64 = 0
    /// All fixes that were numbered.
    package private(set) var count = 0
    /// The newest fix of a followed receiver.
    package private(set) var last: Location?
    /// The ranks of the sources that do not run, whatever the demand.
    package private(set) var spared: Set<Int> = []
    /// What clients with reduced accuracy were sent for a fix, and the last fix sent to each view with a pace.
    var reduced: [Int64: ExpectedReply.Place] = [:]
    var paced: [ExpectedView: Location] = [:]

    /// Numbers that are passed over for fixes that were lost.
    private var skipped: Int64 = 0
    /// The first fix of a run may skip numbers.
    private var isFirst = true

    package init(receivers: ExpectedReceivers) {
        self.receivers = receivers
    }

    package func report(_ fault: String) { faults.append(fault) }

    /// Another run of the daemon.
    package func begin(last: Location?, isEnabled: Bool) {
        forgetReceivers()
        spared = []
        demand.restart()
        movement.restart()
        (self.last, self.isEnabled, fixes, reduced, paced) = (last, isEnabled, [:], [:], [:])
        (skipped, isFirst) = (0, true)
    }

    /// The sources are others from now on.
    package func forgetReceivers() {
        receivers.forgetAll()
        plausibility = ExpectedPlausibility()
    }

    // MARK: Fixes

    /// A fix got this number: every watch that wants it must get it.
    /// - Parameters:
    ///   - isFollowed: whether the daemon follows its receiver.
    ///   - reason: why the daemon says that it is implausible.
    ///   - isTimely: false while the daemon's timers may lag behind.
    package func numberFix(
        _ fix: Location, of key: ExpectedReceivers.Key, as sequence: Int64, isFollowed: Bool,
        implausible reason: Implausibility? = nil, isTimely: Bool = true
    ) {
        let least = lastSequence + 1 + skipped
        if isFirst ? sequence < least : sequence != least {
            report("fix \(sequence) comes after \(lastSequence), \(skipped) lost")
        }
        (isFirst, skipped, lastSequence) = (false, 0, sequence)
        if spared.contains(key.rank) { report("fix \(sequence) is of a source that is spared") }
        if receivers.isCertain, receivers.isRepeat(fix, of: key) {
            report("an exact repeat is told as fix \(sequence)")
        }
        var fix = fix
        let expected = plausibility.judge(fix, of: key)
        if receivers.isCertain, expected != reason {
            report(
                "fix \(sequence) is told as \(reason?.rawValue ?? "plausible"), and is "
                    + (expected?.rawValue ?? "plausible"))
        }
        if reason != nil {
            receivers.doubtFix(fix, of: key)
            if isFollowed { report("fix \(sequence) is implausible, and is given out as the position") }
        } else if let complaint = receivers.acceptFix(fix, of: key, isFollowed: isFollowed, isTimely: isTimely) {
            report(complaint)
        }
        fix.sequence = sequence
        fixes[sequence] = Fix(location: fix, isFollowed: isFollowed)
        count += 1
        fixes[sequence - 20_000] = nil
        if isFollowed {
            last = fix
            movement.apply(fix)
        }
        for client in clients { client.watch?.observeFix(fix, isFollowed: isFollowed, movement) }
    }

    /// What is no fix was given this number.
    package func skipNumber(_ sequence: Int64) {
        let least = lastSequence + 1 + skipped
        if isFirst ? sequence < least : sequence != least {
            report("the prediction \(sequence) comes after \(lastSequence), \(skipped) lost")
        }
        (isFirst, skipped, lastSequence) = (false, 0, sequence)
    }

    /// A fix that was given out as the position.
    package func location(of sequence: Int64) -> Location? {
        if let fix = fixes[sequence] { return fix.isFollowed ? fix.location : nil }
        return last.flatMap { $0.sequence == sequence ? $0 : nil }
    }

    /// The daemon made no fix of this: there must be a reason.
    /// - Parameter rank: sources below it certainly ran.
    package func ignoreFix(_ fix: Location, of key: ExpectedReceivers.Key, whileRunning rank: Int) {
        guard isEnabled, key.rank < rank, receivers.isCertain, !receivers.isRepeat(fix, of: key) else { return }
        report("a fix of \(key) came to nothing")
    }

    /// So many fixes did not fit into the mailbox.
    package func loseFixes(_ count: Int) {
        guard count > 0, isEnabled, demand.count > 0 else { return }
        skipped += Int64(count)
        for client in clients { client.watch?.loseFixes(count) }
    }

    /// The watches learnt that there is no fix any more.
    package func forgetAnchors() {
        for client in clients { client.watch?.forgetAnchor() }
    }

    // MARK: Administration

    package func setEnabled(_ isEnabled: Bool) {
        self.isEnabled = isEnabled
        if !isEnabled { forgetHeld(sendsBatches: false) }
    }

    /// What is held back is never sent, and counts as lost.
    /// - Parameter sendsBatches: whether clients that read are sent their batches before.
    package func forgetHeld(sendsBatches: Bool) {
        for client in clients { client.watch?.forgetHeld(sendsBatches: sendsBatches) }
    }

    /// The sources of these ranks do not run from now on, and the others do as there is demand.
    package func spareSources(_ ranks: Set<Int>, at now: BootInstant) {
        receivers.stopSources(of: ranks.subtracting(spared))
        spared = ranks
        receivers.wake(at: now)
    }

    package func changeDemand(to count: Int, at now: Double) {
        if demand.count == 0, count > 0 { for client in clients { client.watch?.startReceivers() } }
        demand.change(to: count, at: now)
        if count == 0 { movement.interrupt() }
        receivers.stopSources(from: count)
    }

    // MARK: When nothing is under way

    /// Nothing that was due is missing.
    /// - Parameter now: `nil` while the daemon's timers may lag behind.
    package func checkDebts(ofReaders alsoHeld: Bool, at now: BootInstant? = nil) {
        for client in clients where !client.isExempt && !client.isGone {
            defer { if alsoHeld, !client.isBehind { client.isCatchingUp = false } }
            guard let watch = client.watch else { continue }
            if let owed = watch.owed { report("client \(client.number) did not get fix \(owed)") }
            if watch.mustPause, !client.isBehind { report("client \(client.number) is not told that it is paused") }
            client.watch?.forgetDues()
            if let now, let complaint = watch.complaint(aboutBatchAt: now) {
                report("client \(client.number): \(complaint)")
            }
            guard alsoHeld, !client.isBehind, watch.isExact, let held = watch.held else { continue }
            report("client \(client.number) has read everything, and fix \(held) is still held back")
        }
    }

    /// Clients that read know the present state, and no receiver counts as tracking that has been silent for too long.
    /// - Parameters:
    ///   - present: what a client with full accuracy is to know now.
    ///   - explainsRefusals: whether the status of a client that may know nothing has a reason of its own, which the
    ///     model does not know.
    ///   - isTimely: false while the daemon's timers may lag behind.
    package func checkStates(
        present: ExpectedStatus, explainsRefusals: Bool, isTimely: Bool = true, at now: BootInstant
    ) {
        for client in clients where !client.isExempt {
            guard let watch = client.watch, !client.isBehind else { continue }
            let who = "client \(client.number)"
            guard let status = client.lastStatus else {
                report("\(who) has not been told the status")
                continue
            }
            if status.isEnabled != isEnabled {
                report("\(who) believes that the service is \(isEnabled ? "off" : "on")")
            }
            // What the receivers do while a watch is paused is not sent to it.
            if status.isPaused {
                if watch.pauseDelay == nil { report("\(who) is told that it is paused, and does not want to be") }
                continue
            }
            if status.isStationary != (client.view == .full && present.isStationary) {
                report("\(who) is \(status.isStationary ? "" : "not ")told that the machine is stationary")
            }
            // A client that may not see every fix, and wants none itself, is to know nothing of the sources.
            let state = watch.seesSources ? present.state : "stopped"
            if status.state != state { report("\(who) believes \(status.state), and is to know \(state)") }
            let isAuthorized = status.authorization.hasPrefix("authorized")
            if let right = client.authorization ?? (client.view == .nothing || isAuthorized ? nil : "authorized"),
                status.authorization != right
            {
                report("\(who) believes that it is \(status.authorization), and is \(right)")
            }
            let hasHeading = client.view == .full ? present.hasHeading : nil
            if status.hasHeading != hasHeading { report("\(who) is wrongly told, or not, that there is a compass") }
            guard client.view != .nothing || !explainsRefusals else { continue }
            let reason = watch.seesSources || !isEnabled ? present.reason : nil
            if status.state == "tracking", reason == nil, watch.request.requiredAccuracy != nil {
                let isExplained = status.reason?.contains("this watch requires") ?? false
                if let expected = watch.isExplained, expected != isExplained {
                    report("\(who) is \(isExplained ? "" : "not ")told that its accuracy holds back everything")
                }
                if isExplained { continue }
            }
            if status.state == "tracking", reason == nil, watch.request.interval != nil {
                let isExplained = status.reason?.contains("the receivers keep running") ?? false
                if watch.mustKnowOfNoRest, !isExplained { report("\(who) is not told that the receivers do not rest") }
                if isExplained { continue }
            }
            if status.reason != reason {
                report("\(who) believes \(status.reason ?? "no reason"), and is to know \(reason ?? "none")")
            }
        }
        if present.state == "tracking", movement.mustBeStationary(for: 60), !present.isStationary {
            report("the machine is stationary, and nobody is told")
        }
        guard isEnabled, receivers.isCertain, isTimely else { return }
        if present.state == "tracking", !receivers.isAnyLive(at: now.advanced(bySeconds: -0.01)) {
            report("no receiver has a fresh fix, and all believe that there is one")
        }
        if present.state != "tracking", let key = receivers.seen, key.rank < demand.count,
            receivers.isLive(key, at: now)
        {
            report("\(key) has a fresh fix, and all are told \(present.state)")
        }
    }
}
