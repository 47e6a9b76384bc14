import ClientTestSupport
import Glibc
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
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
                ValueRecorder<LocationError>(), ValueRecorder<Location>(), ValueRecorder<Bool>()
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
                answers.append((try? result.get()) == nil)
            }
            try waitUntil("the failures") { !missed.values.isEmpty && !answers.values.isEmpty }
            for descriptor in taken.dropFirst(left) { close(descriptor) }
            // Without a thread nothing is tried again by itself.
            if left == 0 {
                manager.stopUpdating()
                manager.startUpdating()
            }
            try waitUntil("a location") { !received.values.isEmpty }
            guard answers.values == [true] else { throw Failure("answered \(answers.values)") }
        }
        try waitUntil("nothing is left") { Holdings() == before }
    }
}
