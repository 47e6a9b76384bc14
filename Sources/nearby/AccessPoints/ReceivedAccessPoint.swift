import Glibc

/// One access point as a radio receives it.
package struct ReceivedAccessPoint: Sendable, Equatable {
    package var address: HardwareAddress
    /// The power received, dBm.
    package var signal: Double
    /// The name of its network; empty or absent if it is hidden.
    package var network: String?

    package init(address: HardwareAddress, signal: Double, network: String?) {
        (self.address, self.signal, self.network) = (address, signal, network)
    }

    /// Powers, dBm, that a radio can report.
    private static let possibleSignals = -110.0 ... -1.0

    /// Whether a radio can have received it.
    package var hasPossibleSignal: Bool { Self.possibleSignals.contains(signal) }

    /// Whether it may be remembered: its address is permanent, and its owner does not say otherwise. A hidden one
    /// counts as not willing to be known.
    ///
    /// `_nomap` at the end of a name is Google's and Mozilla's convention, `_optout` anywhere in it Microsoft's.
    package var isUsable: Bool {
        guard address.isPermanent, hasPossibleSignal else { return false }
        guard let network, network.contains(where: { $0 != "\0" }) else { return false }
        return !network.hasSuffix("_nomap") && !network.contains("_optout")
    }

    /// Metres, within which it probably is.
    ///
    /// The distance at which a signal has lost so much on its way, by the model of a loss that grows with the logarithm
    /// of the distance: 30 dB for ten times the distance, between free space (20) and buildings (40), and −35 dBm at
    /// one metre.
    package var range: Double {
        let exponent = (Self.signalAtOneMetre - signal) / Self.lossPerDecade
        return max(Self.leastRange, pow(10, exponent))
    }

    private static let (signalAtOneMetre, lossPerDecade, leastRange) = (-35.0, 30.0, 5.0)
}
