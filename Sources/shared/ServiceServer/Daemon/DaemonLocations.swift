@_spi(Programs) import LocationInterface
@_spi(Programs) package import LocationModel
@_spi(Programs) import LocationSession
import NIOCore
import NIOPosix
import Varlink

/// A watch at the daemon for all locations that a program may know.
package enum DaemonLocations {
    package enum Input: Sendable {
        case location(Location)
        /// No locations come, for this reason, which is told once; it is tried again.
        case outage(String)
        /// Locations may come, as soon as there are any.
        case allowed
    }

    /// - Parameters:
    ///   - daemon: the path of its socket.
    ///   - isPassive: whether only locations come that other programs need.
    ///   - estimates: whether estimates come in place of fixes.
    ///   - purpose: what the locations are for, which administrators see.
    /// - Returns: what comes, until the task that reads it is cancelled.
    package static func inputs(at daemon: String, isPassive: Bool, estimates: Bool = false, purpose: String)
        -> AsyncStream<Input>
    {
        var request = WatchRequest()
        (request.passive, request.estimate) = (isPassive, estimates)
        request.purpose = purpose
        // Its numbers are finite, so it can be encoded.
        let call = (try? MessageEncoder().call(LocationInterface.Method.watch, request, more: true)) ?? []
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        loop.execute {
            // Each attempt to reach the daemon fails in the same way.
            var outage: String?
            func stop(_ reason: String) {
                if reason != outage { continuation.yield(.outage(reason)) }
                outage = reason
            }
            let watch = ServedWatch(daemon: daemon, call: call, on: loop) { input in
                switch input {
                case .failed(let failure, let isFirst): if isFirst { stop(failure.description) }
                case .answer(let update):
                    if let status = update.status {
                        if let refusal = status.refusal {
                            stop(refusal)
                        } else {
                            outage = nil
                            continuation.yield(.allowed)
                        }
                    }
                    if let location = update.location?.value {
                        outage = nil
                        continuation.yield(.location(location))
                    }
                }
            }
            let bound = NIOLoopBound(watch, eventLoop: loop)
            continuation.onTermination = { _ in loop.execute { bound.value.close() } }
        }
        return inputs
    }
}

extension ServiceStatus {
    /// Why no location can come, in words; `nil` if one may.
    fileprivate var refusal: String? {
        guard enabled else { return "locations are switched off; an administrator can run `sudo locctl start`" }
        switch authorization {
        case .authorizedAlways, .authorizedWhenInUse, .unknown: return source == .unavailable ? reason : nil
        case .notDetermined, .restricted, .denied: return reason ?? "nobody allowed it"
        }
    }
}
