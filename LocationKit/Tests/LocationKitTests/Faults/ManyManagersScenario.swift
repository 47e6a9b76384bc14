import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization
import TestSupport

/// What a program with hundreds of managers does, in a process of its own, on one thread.
struct ManyManagersScenario {
    static let size = 300
    /// Seconds for which an answer serves all managers while the daemon refuses further calls.
    static let answerLifetime = 1.0

    let socket: String

    /// The threads and descriptors of this process.
    struct Holdings: Equatable {
        var threads = Holdings.count("task")
        var descriptors = Holdings.count("fd")

        private static func count(_ list: String) -> Int {
            ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + list)) ?? []).count
        }
    }

    /// Makes this process an ordinary user's.
    static func becomeOrdinary(uid: uid_t) throws {
        guard setgroups(0, nil) == 0, setgid(uid) == 0, setuid(uid) == 0 else {
            throw Failure("still root")
        }
    }

    /// All managers at once, while locations are delivered.
    func together() throws {
        try receiveOnce()
        let before = Holdings()
        do {
            let received = ValueRecorder<Int>()
            let managers = (0..<Self.size).map { number in
                let manager = makeManager()
                manager.addObserver(Observer<Location> { _ in received.append(number) })
                manager.startUpdating()
                return manager
            }
            try waitUntil("a location for each") { Set(received.values).count == Self.size }
            let during = Holdings()
            guard during.threads == before.threads + 1, during.descriptors <= before.descriptors + 3 else {
                throw Failure("\(during) after \(before)")
            }
            guard managers.allSatisfy({ $0.authorizationStatus == .authorizedAlways }) else {
                throw Failure("not authorized")
            }
        }
        try waitUntil("nothing is left") { Holdings() == before }
    }

    /// One after the other, each released as soon as it is started.
    func oneByOne() throws {
        try receiveOnce()
        let before = Holdings()
        for _ in 0..<Self.size {
            let manager = makeManager()
            manager.addObserver(Observer<Location> { _ in })
            manager.startUpdating()
            manager.startUpdatingHeading()
        }
        try waitUntil("nothing is left") { Holdings() == before }
        try receiveOnce()
    }

    /// No manager updates, so that each calls the daemon itself.
    func callsWithoutUpdates() throws {
        // A moment before the last answer. A busy machine may take longer than an answer is used, and is asked again.
        var answered = ContinuousClock.now
        let first = makeManager()
        try waitUntil("the first answer") { first.authorizationStatus == .authorizedAlways }
        let before = Holdings()
        let managers = (0..<Self.size).map { _ in makeManager() }
        for manager in managers {
            var asked: ContinuousClock.Instant?
            while manager.authorizationStatus != .authorizedAlways {
                let seconds = (ContinuousClock.now - answered) / .seconds(1)
                guard seconds > Self.answerLifetime else {
                    throw Failure("not delivered, \(seconds) s after an answer")
                }
                asked = ContinuousClock.now
            }
            answered = asked ?? answered
        }
        guard Holdings() == before else { throw Failure("\(Holdings()) after \(before)") }
    }

    /// Nothing listens at the socket.
    func withoutDaemon() throws {
        try failOnce()
        let before = Holdings()
        do {
            let managers = (0..<Self.size).map { _ in makeManager() }
            let answers = ValueRecorder<Bool>()
            for manager in managers {
                manager.startUpdating()
                manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 60) { result in
                    if case .failure(.daemonNotRunning) = result { answers.append(true) } else { answers.append(false) }
                }
            }
            try waitUntil("an answer for each") { answers.values.count == Self.size }
            guard answers.values.allSatisfy({ $0 }) else { throw Failure("another error") }
        }
        try waitUntil("nothing is left") { Holdings() == before }
    }

    func makeManager() -> LocationManager {
        LocationManager(LocationConfiguration(socketPath: socket))
    }

    func receiveOnce() throws {
        let before = Holdings()
        do {
            let received = ValueRecorder<Location>()
            let manager = makeManager()
            manager.addObserver(received.observer())
            manager.startUpdating()
            try waitUntil("a location") { !received.values.isEmpty }
        }
        try waitUntil("no thread is left") { Holdings().threads == before.threads }
    }

    private func failOnce() throws {
        let before = Holdings()
        do {
            let missed = ValueRecorder<LocationError>()
            let manager = makeManager()
            manager.addObserver(missed.observer())
            manager.startUpdating()
            try waitUntil("a failure") { !missed.values.isEmpty }
        }
        try waitUntil("no thread is left") { Holdings().threads == before.threads }
    }
}
