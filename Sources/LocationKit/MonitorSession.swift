import LocationInterface
import LocationModel
import Varlink

/// Does what a ``MonitorLink`` decides, on the client thread.
final class MonitorSession {
    private let path: String
    private var link: MonitorLink
    private var connection: ClientConnection?
    /// What is asked beside the connection.
    private var list: Question<ListMonitorsReply>?
    private var change: Question<NoParameters>?
    /// Held while it wishes anything.
    private var client: (any MonitorClient)?
    private var timer: ClientLoop.TimerID?

    init(path: String) {
        self.path = path
        link = MonitorLink(path: path)
    }

    func wish(_ wish: MonitorRequest?, of client: (any MonitorClient)?, _ loop: ClientLoop) {
        self.client = client
        link.wish = wish
        // One that ends and begins again is told everything anew.
        if wish == nil { settle(loop) } else { settleSoon(loop) }
    }

    private func settleSoon(_ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = loop.soon { [self] loop in settle(loop) }
    }

    private func schedule(at moment: BootInstant?, _ loop: ClientLoop) {
        if let timer { loop.cancel(timer) }
        timer = moment.map { loop.schedule(at: $0) { [self] loop in settle(loop) } }
    }

    private func settle(_ loop: ClientLoop) {
        perform(link.settle(at: loop.now, jitter: .random(in: 0..<1)), loop)
    }

    /// What may fail at once is the last of the actions.
    private func perform(_ actions: [MonitorLink.Action], _ loop: ClientLoop) {
        for action in actions {
            switch action {
            case .list: askList(loop)
            case .open(let parameters): open(parameters, loop)
            case .change(let parameters): ask(parameters, loop)
            case .close: close()
            case .abandon: abandon()
            case .tell(let news): client?.receive(news)
            }
        }
        schedule(at: link.deadline, loop)
    }

    private func close() {
        connection?.close()
        connection = nil
    }

    private func abandon() {
        list?.end(nil)
        change?.end(nil)
        (list, change) = (nil, nil)
    }

    private func ended(_ error: LocationError, _ loop: ClientLoop) {
        perform(link.ended(error, at: loop.now, jitter: .random(in: 0..<1)), loop)
    }

    private func askList(_ loop: ClientLoop) {
        let question = Question<ListMonitorsReply>()
        list = question
        question.ask(
            LocationInterface.Method.listMonitors, NoParameters(), more: false, at: path, loop
        ) { [self] result, _ in
            list = nil
            switch result {
            case .failure(let error): ended(error, loop)
            case .success(let reply):
                let kept = reply.monitors.first { $0.name == link.wish?.name }
                perform(link.listed(kept.map { NamedMonitor($0, at: loop.now) }), loop)
                settleSoon(loop)
            }
        }
    }

    private func ask(_ parameters: ChangeRegionsParameters, _ loop: ClientLoop) {
        let question = Question<NoParameters>()
        change = question
        question.ask(
            LocationInterface.Method.changeRegions, parameters, more: false, at: path, loop
        ) { [self] result, _ in
            change = nil
            switch result {
            case .failure(let error):
                perform(link.changeFailed(error, at: loop.now, jitter: .random(in: 0..<1)), loop)
            case .success:
                perform(link.changed(), loop)
                settleSoon(loop)
            }
        }
    }

    private func open(_ parameters: MonitorRequest, _ loop: ClientLoop) {
        do throws(LocationError) {
            let connection = try loop.connect(to: path) { [self] in take($0, loop) }
            self.connection = connection
            try connection.send(LocationInterface.Method.monitor, parameters, more: true)
        } catch {
            ended(error, loop)
        }
    }

    private func take(_ input: ClientConnection.Input, _ loop: ClientLoop) {
        do throws(LocationError) {
            switch input {
            case .ended(let error): throw error
            case .reply(let reply):
                let news = try reply.answer(as: MonitorReply.self)
                perform(
                    link.receive(
                        news, continues: reply.continues, at: loop.now, jitter: .random(in: 0..<1)), loop)
                settle(loop)
            }
        } catch {
            ended(error, loop)
        }
    }
}
