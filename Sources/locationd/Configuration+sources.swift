import DaemonConfiguration
import GPSDSource
import LocationModel
import SimulatedSource
import SystemClock
import SystemSupport

extension Configuration {
    /// The sources as configured, by rank.
    /// - Parameter heartbeats: where their threads show that they are alive.
    func makeSources(_ heartbeats: Heartbeats) -> [any LocationSource] {
        sources.compactMap { $0.makeSource(clocks: .system, heartbeats) }
    }
}

extension Configuration.Source {
    /// - Returns: `nil` only for coordinates out of range, which loading refuses.
    fileprivate func makeSource(clocks: SourceClocks, _ heartbeats: Heartbeats) -> (any LocationSource)? {
        switch kind {
        case .gpsd(let gpsd):
            GPSDSource(
                name: name,
                endpoint: GPSDEndpoint(host: gpsd.host, port: UInt16(clamping: gpsd.port), device: gpsd.device),
                silenceTimeout: gpsd.silenceTimeout, heartbeats: heartbeats)
        case .simulator(let simulator):
            simulator.start.map { start in
                let drive = SimulatedDrive(start: start, speed: simulator.speed, seed: UInt64(clamping: simulator.seed))
                return SimulatorSource(name: name, drive: drive, rate: simulator.rate, clocks: clocks)
            }
        case .replay(let replay):
            ReplaySource(name: name, path: replay.file, speed: replay.speed, loops: replay.loop, clocks: clocks)
        case .file(let place):
            PositionFileSource(name: name, path: place.file, clock: clocks.now)
        case .fixed(let position):
            position.coordinate.map { coordinate in
                StaticSource(
                    name: name, coordinate: coordinate, altitude: position.altitude,
                    ellipsoidalAltitude: position.ellipsoidalAltitude,
                    horizontalAccuracy: position.horizontalAccuracy, clocks: clocks)
            }
        }
    }
}

extension SourceClocks {
    /// The machine's own clocks.
    static let system = SourceClocks(
        utc: { MachineClock.utc }, now: { MachineClock.now }, sleep: { try await Pause.sleep(for: $0) })
}
