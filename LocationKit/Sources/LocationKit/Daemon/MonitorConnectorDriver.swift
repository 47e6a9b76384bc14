@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Varlink

/// Performs the actions of a ``MonitorConnector`` on the client thread.
final class MonitorConnectorDriver {
    private let path: String
    private var connector: MonitorConnector
    private var connection: ClientConnection?
    /// The calls beside the monitor connection.
    private var list: OneShotCall<ListMonitorsReply>?
    private var change: OneShotCall<NoParameters>?
    /// Retained while there is an interest.
    private var client: (any MonitorTransportClient)?
    private var timer: ClientLoop.TimerID?

    init(path: String) {
        self.path = path
        connector = MonitorConnector(path: path)
    }

    func setInterest(_ interest: MonitorRequest?, of client: (any MonitorTransportClient)?, _ loop: ClientLoop) {
        self.client = client
        connector.interest = interest
        // An interest that ends and begins again has to start from scratch.
        if interest == nil { runDueActions(loop) } else { scheduleDueActions(loop) }
    }

    private func scheduleDueActions(_ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = loop.scheduleBeforeInput { [self] loop in runDueActions(loop) }
    }

    private func schedule(at moment: BootInstant?, _ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = moment.map { loop.schedule(at: $0) { [self] loop in runDueActions(loop) } }
    }

    private func runDueActions(_ loop: ClientLoop) {
        perform(connector.nextActions(at: loop.now, jitter: .random(in: 0..<1)), loop)
    }

    /// The action that may fail synchronously is the last one.
    private func perform(_ actions: [MonitorConnector.Action], _ loop: ClientLoop) {
        for action in actions {
            switch action {
            case .list: requestList(loop)
            case .open(let parameters): open(parameters, loop)
            case .change(let parameters): requestChange(parameters, loop)
            case .close: close()
            case .abandon: abandon()
            case .deliver(let event): client?.receive(event)
            }
        }
        schedule(at: connector.deadline, loop)
    }

    private func close() {
        connection?.close()
        connection = nil
    }

    private func abandon() {
        list?.finish(nil)
        change?.finish(nil)
        (list, change) = (nil, nil)
    }

    private func connectionEnded(_ error: LocationError, _ loop: ClientLoop) {
        perform(connector.connectionEnded(error, at: loop.now, jitter: .random(in: 0..<1)), loop)
    }

    private func requestList(_ loop: ClientLoop) {
        let call = OneShotCall<ListMonitorsReply>()
        list = call
        call.start(
            LocationInterface.Method.listMonitors, NoParameters(), more: false, at: path, loop
        ) { [self] result, _ in
            list = nil
            switch result {
            case .failure(let error): connectionEnded(error, loop)
            case .success(let reply):
                let persisted = reply.monitors.first { $0.name == connector.interest?.name }
                perform(connector.receiveList(persisted.map { NamedMonitor($0, at: loop.now) }), loop)
                scheduleDueActions(loop)
            }
        }
    }

    private func requestChange(_ parameters: ChangeRegionsParameters, _ loop: ClientLoop) {
        let call = OneShotCall<NoParameters>()
        change = call
        call.start(
            LocationInterface.Method.changeRegions, parameters, more: false, at: path, loop
        ) { [self] result, _ in
            change = nil
            switch result {
            case .failure(let error):
                perform(connector.changeFailed(error, at: loop.now, jitter: .random(in: 0..<1)), loop)
            case .success:
                perform(connector.changeSucceeded(), loop)
                scheduleDueActions(loop)
            }
        }
    }

    private func open(_ parameters: MonitorRequest, _ loop: ClientLoop) {
        do throws(LocationError) {
            let connection = try loop.connect(to: path) { [self] in handle($0, loop) }
            self.connection = connection
            var stated = parameters
            stated.library = Release.library
            try connection.send(LocationInterface.Method.monitor, stated, more: true)
        } catch {
            connectionEnded(error, loop)
        }
    }

    private func handle(_ input: ClientConnection.Input, _ loop: ClientLoop) {
        do throws(LocationError) {
            switch input {
            case .ended(let error): throw error
            case .reply(let reply):
                let update = try reply.answer(as: MonitorReply.self)
                perform(
                    connector.receive(
                        update, continues: reply.continues, at: loop.now, jitter: .random(in: 0..<1)), loop)
                runDueActions(loop)
            }
        } catch {
            connectionEnded(error, loop)
        }
    }
}
