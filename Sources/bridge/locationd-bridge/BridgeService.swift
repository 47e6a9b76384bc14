import Bridge
@_spi(Programs) import LocationInterface
import Logging
import ServiceKit
import ServiceServer
import UnixSignals

/// The servers of both kinds of programs, each of which may be absent.
struct BridgeService {
    private let gpsd: GPSDServer?
    private let geoClue: GeoClueServer?
    private let listeners: BridgeListeners
    private let notifications: NotificationSocket?
    private let logger: Logger

    /// Why it cannot serve, and what to do.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: where it cannot listen, and what to do.
    init(
        _ configuration: BridgeConfiguration, _ listeners: BridgeListeners, _ notifications: NotificationSocket?,
        _ logger: Logger
    ) async throws {
        (self.listeners, self.notifications, self.logger) = (listeners, notifications, logger)
        let (daemon, idleExit) = (configuration.service.daemon, configuration.service.idleExit)
        let log = OutageLog(logger)
        let servesGeoClue = configuration.geoClue.isEnabled
        // It ends only where whoever needs it next starts it again: by systemd's sockets, or by the bus and systemd.
        if listeners.gpsd.isEmpty {
            gpsd = nil
        } else {
            do {
                gpsd = try await GPSDServer(
                    listeners.gpsd, daemon: daemon, limits: configuration.gpsd.limits,
                    estimates: configuration.gpsd.estimates,
                    idleExit: listeners.areAllInherited && !servesGeoClue ? idleExit : nil, logger: logger, log: log)
            } catch {
                listeners.removeOwnPath()
                throw error
            }
        }
        geoClue =
            servesGeoClue
            ? GeoClueServer(
                daemon: daemon, estimates: configuration.geoClue.estimates,
                idleTimeout: gpsd == nil && notifications != nil ? idleExit : nil, logger: logger, log: log) : nil
    }

    /// Serves until there is a signal, or nobody needs it.
    ///
    /// - Throws: what has failed.
    func run(until signals: UnixSignalsSequence) async throws(Failure) {
        if let gpsd {
            logger.notice(
                "listening",
                metadata: ["addresses": "\(gpsd.addresses.joined(separator: " "))", "version": "\(Release.version)"])
        }
        if geoClue == nil { notifications?.send(.ready, waits: true) }
        let end = await end(signals)
        notifications?.send(.stopping, waits: true)
        await gpsd?.stop()
        listeners.removeOwnPath()
        switch end {
        case .stopped: logger.info("ended")
        case .idle: logger.info("ended, because nobody needs it")
        case .nameTaken:
            throw Failure(
                description: "another program serves GeoClue's interface; disable it, or do not start this one")
        case .failed(let reason): throw Failure(description: reason)
        }
    }

    private func end(_ signals: UnixSignalsSequence) async -> GeoClueServer.End {
        await withTaskGroup(of: GeoClueServer.End.self) { group in
            group.addTask {
                for await _ in signals { break }
                geoClue?.stop()
                return .stopped
            }
            if let gpsd {
                group.addTask {
                    await gpsd.idle()
                    return .idle
                }
            }
            if let geoClue {
                group.addTask {
                    await geoClue.run(report: { notifications?.send(.status($0), waits: false) }) {
                        logger.notice(
                            "serving", metadata: ["name": "org.freedesktop.GeoClue2", "version": "\(Release.version)"])
                        notifications?.send(.ready, waits: true)
                    }
                }
            }
            var end = await group.next() ?? .stopped
            if end == .nameTaken, gpsd != nil {
                let state = "another program serves GeoClue's interface; only gpsd's programs are served"
                logger.warning("\(state)")
                notifications?.send(.ready, .status(state, isDegraded: true), waits: true)
                end = await group.next() ?? .stopped
            }
            group.cancelAll()
            return end
        }
    }
}
