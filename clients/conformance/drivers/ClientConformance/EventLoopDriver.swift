@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationSession
import NIOCore
import NIOPosix
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// The calls as locationd's services make them: by sessions on an event loop.
struct EventLoopDriver {
    private typealias Method = LocationInterface.Method

    let call: Call
    let reporter: Reporter
    private let path = SocketPath.location
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    init(_ call: Call, _ reporter: Reporter) { (self.call, self.reporter) = (call, reporter) }

    /// Runs until the reporter ends the process, or until a single call has its reply.
    func run() async throws {
        switch call.call {
        case .watch: try await follow(Method.watch, try call.options(as: WatchRequest.self), report: Self.reportWatch)
        case .regions:
            try await follow(Method.monitor, try call.options(as: MonitorRequest.self), report: Self.reportMonitor)
        case .get:
            let request = try call.options(as: LocationRequest.self)
            let reply: LocationReply = try await ask(Method.getLocation, request, within: request.timeout ?? 30)
            reporter.report(.location(reply.location.value))
        case .status:
            let reply: StatusReply = try await ask(Method.getStatus, NoParameters())
            reporter.report(reply.status)
        case .monitors:
            let reply: ListMonitorsReply = try await ask(Method.listMonitors, NoParameters())
            reporter.report(.monitors(reply.monitors.map { NamedMonitor($0, at: MachineClock.now) }))
        case .changeRegions:
            let _: NoParameters = try await ask(Method.changeRegions, call.options(as: ChangeRegionsParameters.self))
        case .removeMonitor:
            let _: NoParameters = try await ask(Method.removeMonitor, call.options(as: MonitorName.self))
        case .requestAuthorization:
            throw LocationError.refused(error: "NotSupported", reason: "no service waits for a decision")
        }
    }

    private func follow<Answer: SessionAnswer & Decodable>(
        _ method: String, _ request: some Encodable, report: @escaping @Sendable (Answer, Reporter) -> Void
    ) async throws {
        let message = try MessageEncoder().call(method, request, more: true)
        let session = try await loop.submit { [loop, path, reporter] in
            let session = ServedSession<Answer>(daemon: path, call: message, on: loop) { event in
                switch event {
                case .answer(let answer):
                    reporter.endOutage()
                    report(answer, reporter)
                case .failed(let failure, let isFirst):
                    let error = LocationError(failure)
                    // What is refused for good is tried again, too.
                    if !error.isOutage { reporter.finish(.error(error)) }
                    if isFirst { reporter.reportOutage(error) }
                }
            }
            return NIOLoopBound(session, eventLoop: loop)
        }.get()
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime((session, continuation)) {}
    }

    @Sendable private static func reportWatch(_ update: WatchReply, _ reporter: Reporter) {
        let dropped = reporter.addDropped(update.dropped ?? 0)
        if let status = update.status { reporter.report(status) }
        if let location = update.location?.value { reporter.reportUpdate(.location(location, dropped: dropped)) }
        if let heading = update.heading?.value { reporter.reportUpdate(.heading(heading)) }
        if let satellites = update.satellites { reporter.reportUpdate(.satellites(satellites)) }
    }

    @Sendable private static func reportMonitor(_ update: MonitorReply, _ reporter: Reporter) {
        if let status = update.status { reporter.report(status) }
        if let region = update.region { reporter.reportUpdate(.region(RegionReport(region, at: MachineClock.now))) }
        if let location = update.location?.value { reporter.reportUpdate(.location(location)) }
        if let visit = update.visit { reporter.reportUpdate(.visit(visit)) }
    }

    private func ask<Answer: Decodable>(
        _ method: String, _ request: some Encodable, within seconds: Double = 0
    ) async throws -> Answer {
        let message = try MessageEncoder().call(method, request)
        let time = TimeAmount.nanoseconds(Int64((seconds + SessionPause.patience) * 1e9))
        let promise = loop.makePromise(of: Reply.self)
        loop.execute { [loop, path] in
            PendingCall(message, at: path, within: time, on: loop) { promise.completeWith($0.mapError { $0 }) }
        }
        do {
            return try await promise.futureResult.get().answer()
        } catch let failure as DaemonCall.Failure {
            throw LocationError(failure)
        }
    }
}

extension LocationError {
    fileprivate init(_ failure: DaemonCall.Failure) {
        do throws(LocationError) {
            let _: NoParameters? = try failure.refusal?.answer()
            self = .daemonNotRunning(path: SocketPath.location, reason: failure.description)
        } catch {
            self = error
        }
    }
}
