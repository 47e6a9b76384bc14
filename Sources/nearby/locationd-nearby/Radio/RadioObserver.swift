import AccessPoints
import Glibc
import LocationModel
import Logging
@_spi(Programs) import SystemSupport

/// What the machine's radios receive, whoever lets them scan.
struct RadioObserver: Sendable {
    /// Seconds until what failed is tried again, and until devices are looked for that came meanwhile.
    private static let pause = 60.0

    let memory: PlaceMemory
    let logger: Logger

    /// Delivers what is received until the task is cancelled: at once what is there, then the results of each scan.
    ///
    /// - Parameter obstructed: called with why nothing can be received, or `nil`.
    func read(
        _ deliver: @escaping @Sendable (AccessPointObservation) -> Void,
        obstructed: @escaping @Sendable (String?) -> Void
    ) async {
        await DetachedThread.run(named: "radios") { waker in
            {
                while !waker.isWoken {
                    do throws(GenericNetlink.Refusal) {
                        try Self.follow(until: waker, deliver, obstructed)
                    } catch {
                        obstructed(Self.reason(error))
                        _ = waker.wait(for: -1, events: 0, seconds: Self.pause)
                    }
                }
            }
        } isShort: {
            obstructed($0)
        }
    }

    private static func follow(
        until waker: Waker, _ deliver: (AccessPointObservation) -> Void, _ obstructed: (String?) -> Void
    ) throws(GenericNetlink.Refusal) {
        var devices = try WirelessDevices()
        // Before the first look, so that no result after it is missed.
        let events = try GenericNetlink()
        try events.join(devices.scanGroup)
        let family = devices.family
        while true {
            let isThere = try !devices.devices().isEmpty
            obstructed(isThere ? nil : "no wireless device is there that could be a client of access points")
            if let observation = try devices.observation(at: MachineClock.now) { deliver(observation) }
            wait: while true {
                switch waker.wait(for: events.descriptor, events: POLLIN, seconds: isThere ? 3600 : pause) {
                case .woken: return
                case .timedOut: break wait
                case .ready:
                    let messages = try events.receive()
                    if messages.contains(where: { WirelessDevices.tellsResults($0, of: family) }) { break wait }
                }
            }
        }
    }

    private static func reason(_ refusal: GenericNetlink.Refusal) -> String {
        switch refusal.code {
        case ENOENT: "this kernel knows no wireless devices"
        case ENOBUFS: "the kernel told more than could be read; it is read again in a minute"
        default: "the wireless devices cannot be read: \(refusal)"
        }
    }

    /// Scans while that is wanted, until the task is cancelled.
    func scanWhileWanted() async {
        var pace = ScanPace()
        var isRefusalLogged = false
        while !Task.isCancelled {
            let (demand, version) = memory.demand.current
            guard demand.isThere(at: MachineClock.now) else {
                _ = await memory.demand.change(after: version)
                continue
            }
            let delay = pace.delay(at: MachineClock.now, observed: await memory.observed)
            guard delay > 0 else {
                let (isBegun, refusal) = Self.scan()
                if isBegun { logger.debug("scans") }
                // Without the capability what others let be received is used. A radio that is off receives nothing from
                // anybody.
                if let refusal, [ENETDOWN, ERFKILL].contains(refusal.code) {
                    await memory.setObstacle(Self.scanReason(refusal))
                } else if let refusal, !isRefusalLogged {
                    isRefusalLogged = true
                    logger.notice("no scan of its own", metadata: ["reason": "\(Self.scanReason(refusal))"])
                }
                continue
            }
            try? await Pause.sleep(for: .seconds(delay))
        }
    }

    /// - Returns: whether a device scans, and why none does.
    private static func scan() -> (isBegun: Bool, refusal: GenericNetlink.Refusal?) {
        var last: GenericNetlink.Refusal?
        var (isBegun, isBusy) = (false, false)
        do throws(GenericNetlink.Refusal) {
            var devices = try WirelessDevices()
            for device in try devices.devices() {
                do throws(GenericNetlink.Refusal) {
                    try devices.scan(device)
                    isBegun = true
                } catch {
                    isBusy = isBusy || error.code == EBUSY
                    last = error
                }
            }
        } catch {
            // The reader says that there is nothing.
        }
        // One that another program has let scan is busy, and receives.
        return (isBegun, isBegun || isBusy ? nil : last)
    }

    private static func scanReason(_ refusal: GenericNetlink.Refusal) -> String {
        switch refusal.code {
        case EPERM: "it takes CAP_NET_ADMIN; what others let be received is used"
        case ENETDOWN: "the device is down; if its radio is switched off, `rfkill` shows it"
        case ERFKILL: "the radio is switched off; see `rfkill`"
        default: "\(refusal)"
        }
    }
}
