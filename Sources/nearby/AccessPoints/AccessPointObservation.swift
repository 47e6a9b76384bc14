package import LocationModel

/// The access points that were received at one moment.
package struct AccessPointObservation: Sendable, Equatable {
    /// When the newest of them was received.
    package var time: BootInstant
    package var accessPoints: [ReceivedAccessPoint]

    package init(time: BootInstant, accessPoints: [ReceivedAccessPoint]) {
        (self.time, self.accessPoints) = (time, accessPoints)
    }

    /// Those that say something about a place, each once, the strongest first.
    ///
    /// Of what is received twice the stronger counts.
    package var usable: [ReceivedAccessPoint] {
        var isSeen = Set<HardwareAddress>()
        return accessPoints.filter(\.isUsable).sorted { ($0.signal, $1.address.value) > ($1.signal, $0.address.value) }
            .filter { isSeen.insert($0.address).inserted }
    }
}
