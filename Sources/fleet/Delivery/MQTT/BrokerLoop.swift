import CMosquitto
import Glibc
@_spi(Programs) import SystemSupport

/// The thread of a ``BrokerClient``: connects, serves the connection, pauses, and so on until it is stopped.
///
/// Ownership: everything belongs to the thread that calls ``run()``.
final class BrokerLoop {
    private let settings: BrokerSettings
    private let commands: BrokerCommands
    private let jitter: () -> Double
    private let will: () -> BrokerMessage?
    private let emit: (BrokerEvent) -> Void

    private var backoff = Backoff()
    /// Attempts so far; they take the brokers in turn.
    private var attempts = 0
    /// Attempts since a connection worked.
    private var failures = 0
    private var connection = 0
    /// Version 5 is tried first, and 3.1.1 where the broker does not answer in 5.
    private var isVersion5: Bool
    /// The numbers of messages in flight by those of libmosquitto.
    private var inFlight: [Int32: Int64] = [:]
    /// Whether the broker has acknowledged a message over this connection, and whether it has refused one.
    private var (hasAcknowledged, hasRefused) = (false, false)

    /// Seconds to wait for the broker to close the connection at the end.
    private static let disconnectTimeout = 0.5
    /// Seconds after which a connection counts as one that works.
    private static let stability = 10.0
    /// The same if the broker has acknowledged a message by then and refused none. At once would be too early: two
    /// clients of one name, who disconnect each other, would do so four times a second; and Mosquitto 2.0.11 may break
    /// the connection after a message that it does not allow.
    private static let proof = 2.0

    init(
        _ settings: BrokerSettings, _ commands: BrokerCommands, jitter: @escaping () -> Double,
        will: @escaping () -> BrokerMessage?, emit: @escaping (BrokerEvent) -> Void
    ) {
        isVersion5 = settings.triesVersion5
        (self.settings, self.commands, self.jitter, self.will, self.emit) = (settings, commands, jitter, will, emit)
    }

    func run() {
        while !commands.isStopped {
            let reason = connectAndServe()
            guard !commands.isStopped else { break }
            emit(.disconnected(reason: reason))
            // libmosquitto's own thread never tries again after a first attempt that is refused.
            pause(waitAfterFailure())
        }
        emit(.ended)
    }

    /// The next broker is tried soon; when all of them have failed, the pauses grow. They are spread widely, because
    /// the clients of a whole fleet lose a broker at the same moment.
    private func waitAfterFailure() -> Double {
        attempts += 1
        failures += 1
        return failures % settings.addresses.count == 0
            ? backoff.fail(jitter: 0.5) * (0.5 + jitter()) : Backoff.first * jitter()
    }

    private var address: BrokerAddress { settings.addresses.address(ofAttempt: attempts) }

    private func pause(_ seconds: Double) {
        let end = Self.now + seconds
        while !commands.isStopped, case let left = end - Self.now, left > 0 {
            _ = commands.waker.wait(for: -1, events: 0, seconds: left)
            // There is no connection for what was to be published.
            _ = commands.removeAll()
        }
    }

    /// - Returns: why there is no connection any more.
    private func connectAndServe() -> String {
        (inFlight, hasAcknowledged, hasRefused) = ([:], false, false)
        for file in [settings.tls.authorities, settings.tls.certificate, settings.tls.key].compactMap(\.self)
        where address.usesTLS && access(file, R_OK) != 0 {
            return
                "\(file) cannot be read: \(String(cString: strerror(errno))); check ca-file, certificate-file and key-file"
        }
        guard let session = MosquittoSession.make(settings, isVersion5: isVersion5, will: will()) else {
            return "libmosquitto does not accept the client's name, the user name or the last will"
        }
        if address.usesTLS, !session.useTLS(settings.tls) {
            return "the files for TLS are not accepted; check ca-file, certificate-file and key-file"
        }
        let result = session.connect(to: address, keepalive: settings.keepalive)
        guard result.code == 0 else {
            return failure(result, wasConnected: false).sentence(session.reports)
        }
        return serve(session)
    }

    private func failure(_ result: (code: Int32, errno: Int32), wasConnected: Bool) -> BrokerFailure {
        BrokerFailure(
            address: address, wasConnected: wasConnected, code: result.code, errno: result.errno)
    }

    /// Serves a connection until it ends.
    private func serve(_ session: borrowing MosquittoSession) -> String {
        let start = Self.now
        var isConnected = false
        var disconnectEnd: Double?
        while true {
            let descriptor = mosquitto_socket(session.client)
            // It is closed when the good-bye is sent.
            if disconnectEnd != nil, descriptor < 0 { return "" }
            let events = POLLIN | (mosquitto_want_write(session.client) ? POLLOUT : 0)
            let patience: Double =
                if let disconnectEnd {
                    disconnectEnd - Self.now
                } else if isConnected {
                    // For the pings.
                    Double(settings.keepalive) / 4
                } else {
                    start + settings.connectTimeout - Self.now
                }
            let wait = commands.waker.wait(for: descriptor, events: events, seconds: patience)
            let publications = commands.removeAll()
            // Where it was woken, the socket may be readable too; reading from one that is not does nothing.
            let result = session.serve(isReadable: wait != .timedOut)
            if !isConnected, session.reports.connectCode == 0 {
                isConnected = true
                connection += 1
                emit(.connected(connection, to: address, isVersion5: isVersion5))
                // If that fails, the connection is over, which the next turn notices.
                if let topic = settings.subscription { _ = session.subscribe(topic) }
            }
            reportAcknowledgements(session.reports)
            reportSubscription(session.reports)
            for message in session.reports.received { emit(.received(message)) }
            session.reports.received = []
            if isConnected, Self.now - start > (hasAcknowledged && !hasRefused ? Self.proof : Self.stability) {
                backoff.succeed()
                failures = 0
            }
            if result.code != 0 {
                if !isConnected { changeVersion(session.reports) }
                return failure(result, wasConnected: isConnected).sentence(session.reports)
            }
            if let disconnectEnd, Self.now >= disconnectEnd { return "" }
            if commands.isStopped, disconnectEnd == nil {
                guard isConnected else { return "" }
                mosquitto_disconnect(session.client)
                disconnectEnd = Self.now + Self.disconnectTimeout
            }
            if !isConnected, Self.now - start >= settings.connectTimeout {
                changeVersion(session.reports)
                return failure((Int32(MOSQ_ERR_TIMEOUT.rawValue), 0), wasConnected: false).sentence(session.reports)
            }
            if isConnected, disconnectEnd == nil { publish(publications, session) }
        }
    }

    /// A broker that does not know version 5 says so, or closes the connection, or answers in the form of 3.1.1.
    private func changeVersion(_ reports: SessionReports) {
        guard settings.triesVersion5 else { return }
        switch reports.connectCode {
        case nil where !reports.errors.contains { $0.contains("OpenSSL") || $0.contains("host name") }, 1?, 0x84?:
            isVersion5.toggle()
        default: break
        }
    }

    private func publish(_ publications: [BrokerCommands.Publication], _ session: borrowing MosquittoSession) {
        for publication in publications where publication.connection == connection {
            let result = session.publish(publication.message)
            switch mosq_err_t(result.code) {
            case MOSQ_ERR_SUCCESS, MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST:
                // Without a connection the message is queued in this session, which ends at the next turn of the loop
                // and takes the queue with it.
                inFlight[result.id] = publication.id
            default:
                emit(
                    .refused(
                        publication.id, connection: connection, reason: BrokerFailure.text(ofLibrary: result.code)))
            }
        }
    }

    /// Reports what the broker has acknowledged. Numbers that are unknown here, libmosquitto has ignored already.
    private func reportAcknowledgements(_ reports: SessionReports) {
        for (number, code) in reports.published {
            guard let id = inFlight.removeValue(forKey: number) else { continue }
            if code < 0x80 {
                hasAcknowledged = true
                emit(.acknowledged(id, connection: connection))
            } else {
                hasRefused = true
                emit(.refused(id, connection: connection, reason: BrokerFailure.text(ofReason: code)))
            }
        }
        reports.published = []
    }

    private func reportSubscription(_ reports: SessionReports) {
        guard let code = reports.subscribeCode, let topic = settings.subscription else { return }
        reports.subscribeCode = nil
        guard code >= 0x80 else { return }
        // In 3.1.1 no reason is known.
        let reason = code == 0x80 ? "" : " (\(BrokerFailure.text(ofReason: code)))"
        emit(
            .subscriptionRefused(
                reason:
                    "the broker at \(address) does not allow this client to subscribe to \(topic)\(reason); check the user "
                    + "name, and what the broker allows the user"))
    }

    /// Seconds of the clock that never jumps.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
