import Glibc
import LocationKit
import LocationModel
import TestSupport

extension ManyManagersScenario {
    /// Few descriptors are left to the process: none is too few for a thread, one is too few for a connection.
    func withoutDescriptors(left: Int) throws {
        var limit = rlimit(rlim_cur: 512, rlim_max: 512)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw Failure("no limit") }
        try receiveOnce()
        let before = Holdings()
        do {
            let (missed, received, answers) = (
                EventRecorder<LocationError>(), EventRecorder<Location>(), EventRecorder<Bool>()
            )
            let manager = makeManager()
            manager.addObserver(missed.observer())
            manager.addObserver(received.observer())
            var taken: [Int32] = []
            while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
            for descriptor in taken.prefix(left) { close(descriptor) }
            guard manager.authorizationStatus == .notDetermined else { throw Failure("told by nobody") }
            manager.startUpdating()
            manager.requestLocation(timeout: 60, desiredAccuracy: nil, maximumAge: 0) { result in
                answers.add((try? result.get()) == nil)
            }
            try Self.eventually("the failures") { !missed.all.isEmpty && !answers.all.isEmpty }
            for descriptor in taken.dropFirst(left) { close(descriptor) }
            // Without a thread nothing is tried again by itself.
            if left == 0 {
                manager.stopUpdating()
                manager.startUpdating()
            }
            try Self.eventually("a location") { !received.all.isEmpty }
            guard answers.all == [true] else { throw Failure("answered \(answers.all)") }
        }
        try Self.eventually("nothing is left") { Holdings() == before }
    }
}
