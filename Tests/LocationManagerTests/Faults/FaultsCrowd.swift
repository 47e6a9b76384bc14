import Foundation
import Glibc
import LocationKit
import LocationModel
import Synchronization
import TestSupport

/// What a program does that has hundreds of managers, in a process of its own, on one thread.
struct FaultsCrowd {
    static let size = 300

    let socket: String

    /// What the system has given this process.
    struct Holdings: Equatable {
        var threads = Holdings.count("task")
        var descriptors = Holdings.count("fd")

        private static func count(_ list: String) -> Int {
            ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + list)) ?? []).count
        }
    }

    /// From here on this process is an ordinary user's.
    static func becomeOrdinary(uid: uid_t) throws {
        guard setgroups(0, nil) == 0, setgid(uid) == 0, setuid(uid) == 0 else {
            throw Failure("still root")
        }
    }

    /// All at once, while locations come.
    func together() throws {
        try hearOnce()
        let before = Holdings()
        do {
            let received = Notes<Int>()
            let managers = (0..<Self.size).map { number in
                let manager = makeManager()
                manager.addObserver(Observer<Location> { _ in received.add(number) })
                manager.startUpdating()
                return manager
            }
            try Self.eventually("a location for each") { Set(received.all).count == Self.size }
            let during = Holdings()
            guard during.threads == before.threads + 1, during.descriptors <= before.descriptors + 3 else {
                throw Failure("\(during) after \(before)")
            }
            guard managers.allSatisfy({ $0.authorizationStatus == .authorizedAlways }) else {
                throw Failure("not authorized")
            }
        }
        try Self.eventually("nothing is left") { Holdings() == before }
    }

    /// One after the other, each released as soon as it is started.
    func oneByOne() throws {
        try hearOnce()
        let before = Holdings()
        for _ in 0..<Self.size {
            let manager = makeManager()
            manager.addObserver(Observer<Location> { _ in })
            manager.startUpdating()
            manager.startUpdatingHeading()
        }
        try Self.eventually("nothing is left") { Holdings() == before }
        try hearOnce()
    }

    /// Nobody is updating, so that each asks the daemon itself.
    func asking() throws {
        let first = makeManager()
        try Self.eventually("the first answer") { first.authorizationStatus == .authorizedAlways }
        let before = Holdings()
        let managers = (0..<Self.size).map { _ in makeManager() }
        let unknown = managers.count { $0.authorizationStatus != .authorizedAlways }
        guard unknown == 0 else { throw Failure("\(unknown) are not delivered") }
        guard Holdings() == before else { throw Failure("\(Holdings()) after \(before)") }
    }

    /// Nobody listens at the socket.
    func alone() throws {
        try missOnce()
        let before = Holdings()
        do {
            let managers = (0..<Self.size).map { _ in makeManager() }
            let answers = Notes<Bool>()
            for manager in managers {
                manager.startUpdating()
                manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 60) { result in
                    if case .failure(.daemonNotRunning) = result { answers.add(true) } else { answers.add(false) }
                }
            }
            try Self.eventually("an answer for each") { answers.all.count == Self.size }
            guard answers.all.allSatisfy({ $0 }) else { throw Failure("another error") }
        }
        try Self.eventually("nothing is left") { Holdings() == before }
    }

    func makeManager() -> LocationManager {
        LocationManager(LocationConfiguration(socketPath: socket))
    }

    func hearOnce() throws {
        let before = Holdings()
        do {
            let received = Notes<Location>()
            let manager = makeManager()
            manager.addObserver(received.observer())
            manager.startUpdating()
            try Self.eventually("a location") { !received.all.isEmpty }
        }
        try Self.eventually("no thread is left") { Holdings().threads == before.threads }
    }

    private func missOnce() throws {
        let before = Holdings()
        do {
            let missed = Notes<LocationError>()
            let manager = makeManager()
            manager.addObserver(missed.observer())
            manager.startUpdating()
            try Self.eventually("a failure") { !missed.all.isEmpty }
        }
        try Self.eventually("no thread is left") { Holdings().threads == before.threads }
    }

    static func eventually(_ what: String, holds: () -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while !holds() {
            guard ContinuousClock.now < deadline else { throw Failure("\(what): not within 120 s; \(Holdings())") }
            usleep(2000)
        }
    }
}
